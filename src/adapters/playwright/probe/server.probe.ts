import { test } from '@playwright/test';

test('the base URL answers', async ({ baseURL }) => {
  test.skip(!baseURL, 'no base URL');
  try {
    await fetch(baseURL!);
  } catch (error: any) {
    throw new Error(`${baseURL} does not answer: ${error.cause?.code ?? error.message}`);
  }
});
