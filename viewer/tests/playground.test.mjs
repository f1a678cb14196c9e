/** The playground of the site in a browser: its runs are those of the program on this machine. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join, normalize, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { closed, opened, picture, skip } from './browser.mjs';

const site = resolve(process.env.SITE ?? '../target/site');
const program = process.env.HOPWRIGHT ?? 'hopwright';
const KINDS = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.wasm': 'application/wasm',
};

// Browsers start no worker from a file: the site has to be served.
const server = createServer((request, response) => {
  try {
    const path = normalize(new URL(request.url, 'http://site').pathname);
    if (path === '/favicon.ico') return response.writeHead(204).end();
    const content = readFileSync(join(site, path));
    response
      .writeHead(200, { 'content-type': KINDS[extname(path)] ?? 'application/octet-stream' })
      .end(content);
  } catch {
    response.writeHead(404).end();
  }
});
before(() => new Promise((done) => server.listen(0, '127.0.0.1', done)));
after(async () => {
  await closed();
  server.close();
});

async function playground() {
  const tab = await opened(`http://127.0.0.1:${server.address().port}/playground.html`);
  await tab.waitForFunction(() => document.getElementById('playground-said').textContent === 'ready');
  return tab;
}
const said = (tab) => tab.locator('#playground-said').textContent();
const idle = (tab) => tab.waitForFunction(() => !document.querySelector('#playground button[disabled]'));

test('a run has the results of the program, to the last bit', { skip }, async () => {
  const tab = await playground();
  await tab.locator('#playground-hops').fill('5');
  await tab.locator('#playground-seconds').fill('20');
  await tab.locator('#playground-seed').fill('7');
  await tab.locator('#playground button[type=submit]').click();
  await idle(tab);
  const scenario = join(mkdtempSync(join(tmpdir(), 'playground-')), 'scenario.toml');
  writeFileSync(scenario, await tab.locator('#playground-scenario').inputValue());
  const summary = execFileSync(program, ['run', scenario, '--seed', '7', '--json'], { encoding: 'utf8' });
  const [own] = JSON.parse(summary).results;
  assert.ok((await said(tab)).includes(`Fingerprint ${own.fingerprint},`), await said(tab));
  const goodput = await tab.locator('#playground-results td').nth(1).textContent();
  assert.equal(goodput, (own.flows[0].goodput_bps / 1000).toFixed(1));
  assert.equal(await tab.locator('#playground-plot canvas').count(), 1);
  await picture(tab, 'playground');
  assert.deepEqual(tab.errors, []);
  await tab.close();
});

test('on a grid every window is tried, and the best is named', { skip }, async () => {
  const tab = await playground();
  await tab.locator('#playground-network').selectOption('grid');
  await tab.locator('#playground-hops').fill('4');
  await tab.locator('#playground-seconds').fill('10');
  await tab.locator('#playground-sweep').click();
  await idle(tab);
  assert.match(await said(tab), /a window of \d+ carries most in all/);
  assert.equal(await tab.locator('#playground-plot .u-series').count(), 4); // the windows, and three flows
  await picture(tab, 'playground-windows');
  assert.deepEqual(tab.errors, []);
  await tab.close();
});

test('what is wrong with a scenario is said, and the next run works', { skip }, async () => {
  const tab = await playground();
  const right = await tab.locator('#playground-scenario').inputValue();
  await tab.locator('#playground-scenario').fill(right.replace('hops =', 'hop ='));
  await tab.locator('#playground button[type=submit]').click();
  await idle(tab);
  assert.match(await said(tab), /did you mean 'hops'/);
  await picture(tab, 'playground-mistake');
  await tab.locator('#playground-scenario').fill(right.replace('duration_s = 60', 'duration_s = 5'));
  await tab.locator('#playground button[type=submit]').click();
  await idle(tab);
  assert.match(await said(tab), /frames in .* s\. Fingerprint/);
  await tab.close();
});
