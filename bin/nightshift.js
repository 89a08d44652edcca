#!/usr/bin/env node
import { existsSync } from 'node:fs';

const main = new URL('../dist/cli/main.js', import.meta.url);

if (existsSync(main)) {
  await import(main.href);
} else {
  console.error('Cannot start Nightshift: it is not built yet. Run "npm start" or "npm run build" in its folder');
  process.exitCode = 2;
}
