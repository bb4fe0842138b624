import { test } from '@playwright/test';

test('the browser starts', async ({ browser }) => {
  browser.version();
});
