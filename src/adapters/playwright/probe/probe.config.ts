// Written by `relocator doctor`; runs a probe with the project's own browser settings and web server.
import * as path from 'path';
import * as imported from __CONFIG__;

let config: any = imported;
while (config && config.default) config = config.default;

const root = __ROOT__;
const atRoot = (server: any) => ({ ...server, cwd: server.cwd ? path.resolve(root, server.cwd) : root });
const servers = [config.webServer ?? []].flat().map(atRoot);

export default {
  testDir: '.',
  testMatch: __PROBE__ + '.probe.ts',
  timeout: 60000,
  use: config.use,
  projects: (config.projects ?? [{}]).map(({ name, use }: any) => ({ name, use })),
  webServer: __PROBE__ === 'server' && servers.length ? servers : undefined,
};
