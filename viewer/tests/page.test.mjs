/** The page in a browser: it loads, moves, tells stories, compares, and leads to moments. */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { closed, expected, isThere, opened, picture, ready, skip } from './browser.mjs';

after(closed);
const state = (tab) => tab.evaluate(() => window.hopwright.clock.state);

test('loads, in light and dark', { skip }, async () => {
  for (const colorScheme of ['light', 'dark']) {
    const tab = await opened('chain.html', '#t=5.4&span=0.06', { colorScheme });
    await ready(tab);
    assert.ok(Number(await tab.locator('[data-count=frames]').textContent()) > 0);
    assert.equal(await tab.locator('[role=img]').count(), 5);
    await picture(tab, `chain-${colorScheme}`);
    assert.deepEqual(tab.errors, []);
    await tab.close();
  }
});

test('scrubs over the time line, pans and zooms by keys', { skip }, async () => {
  const tab = await opened('chain.html');
  await ready(tab);
  const plot = tab.locator('.timeline .u-over').first();
  const box = await plot.boundingBox();
  await tab.mouse.click(box.x + box.width / 2, box.y + 20);
  assert.ok(Math.abs((await state(tab)).time - 10) < 0.2);
  const { span } = await state(tab);
  await tab.keyboard.press('+');
  assert.equal((await state(tab)).span, span / 2);
  const { time } = await state(tab);
  await tab.keyboard.press('ArrowRight');
  assert.ok((await state(tab)).time > time);
  await tab.keyboard.press('?');
  await tab.locator('dialog.help').waitFor();
  await picture(tab, 'help');
  await tab.close();
});

test('plays', { skip }, async () => {
  const tab = await opened('chain.html', '#t=5&span=0.1');
  await ready(tab);
  await tab.locator('.play').click();
  await tab.waitForFunction(() => window.hopwright.clock.state.time > 5.001);
  await tab.keyboard.press('Escape');
  await tab.locator('.play').click();
  assert.equal((await state(tab)).isPlaying, false);
  await tab.close();
});

test('a click on a frame tells its story, a key leads to the next', { skip }, async () => {
  const tab = await opened('chain.html', '#t=5.4&span=0.02');
  await ready(tab);
  // In the middle of a frame that collided.
  const spot = await tab.evaluate(() => {
    const { clock, runs, shown } = window.hopwright;
    const [frame] = shown(runs[0], 5, 8, null).collided;
    clock.set({ time: frame.time + 1e-4 });
    return frame;
  });
  await ready(tab);
  await tab.waitForTimeout(300);
  const lanes = await tab.locator('[data-view=lanes]').boundingBox();
  const row = Math.max(20, Math.min(64, Math.floor((lanes.height - 24) / 9)));
  await tab.mouse.click(lanes.x + 62 + (lanes.width - 62) / 2, lanes.y + 24 + spot.node * row + row * 0.3);
  assert.deepEqual((await state(tab)).chosen, { run: 0, kind: 'frame', id: spot.frame });
  const story = tab.locator('.story');
  await story.getByText('In its way').waitFor();
  assert.match(await story.textContent(), /collided/);
  assert.match(await story.textContent(), new RegExp(`node ${spot.node} → node ${spot.to}`));
  await picture(tab, 'story');
  await tab.keyboard.press('.');
  await tab.waitForFunction((id) => window.hopwright.clock.state.chosen.id === id, spot.frame + 1);
  await tab.keyboard.press('n');
  await tab.waitForFunction(() => window.hopwright.clock.state.chosen.kind === 'event');
  assert.match(await story.textContent(), /What led to it/);
  await tab.close();
});

test('a link leads to a moment, and is kept', { skip }, async () => {
  const tab = await opened('chain.html', '#t=7.25&span=0.05&node=3&flow=0&views=lanes');
  await ready(tab);
  const { time, span, chosen, flow, views } = await state(tab);
  assert.deepEqual(
    { time, span, chosen, flow, views },
    {
      ...{ time: 7.25, span: 0.05, flow: 0, views: 'lanes' },
      chosen: { run: 0, kind: 'node', id: 3 },
    },
  );
  assert.match(await tab.locator('.story').textContent(), /Node 3/);
  await tab.evaluate(() => window.hopwright.clock.set({ time: 8 }));
  await tab.waitForFunction(() => location.hash.startsWith('#t=8&'));
  await tab.close();
});

test('what is chosen can be seen, however many lanes there are', { skip }, async () => {
  const tab = await opened('mobile.html', '#t=30&span=0.1&node=49');
  await ready(tab);
  await tab.waitForTimeout(300);
  // The last lane lies at the lower edge: a click there chooses its node again.
  await tab.keyboard.press('Escape');
  const lanes = await tab.locator('[data-view=lanes]').boundingBox();
  await tab.mouse.click(lanes.x + 20, lanes.y + lanes.height - 8);
  assert.deepEqual((await state(tab)).chosen, { run: 0, kind: 'node', id: 49 });
  await picture(tab, 'scrolled');
  await tab.close();
});

test('two runs stand beside each other on one clock', { skip }, async () => {
  const tab = await opened('two.html', '#t=6&span=0.05');
  await ready(tab);
  assert.equal(await tab.locator('section.run').count(), 2);
  const counts = await tab.locator('[data-count=frames]').allTextContents();
  assert.equal(counts.length, 2);
  assert.notEqual(counts[0], counts[1]);
  await picture(tab, 'two');
  assert.deepEqual(tab.errors, []);
  await tab.close();
});

test('collisions and losses are those that lineage tells of', { skip, timeout: 300_000 }, async (context) => {
  for (const [name, moments] of Object.entries(expected())) {
    const tab = await opened(`${name}.html`);
    await ready(tab);
    let collisions = 0;
    let losses = 0;
    for (const moment of moments) {
      await tab.evaluate(({ time, span }) => window.hopwright.clock.set({ time, span }), moment);
      await tab.waitForFunction(() => {
        const { clock, runs, shown } = window.hopwright;
        return shown(runs[0], ...clock.window, null)?.isWhole;
      });
      const seen = await tab.evaluate(() => {
        const { clock, runs, shown } = window.hopwright;
        return shown(runs[0], ...clock.window, null);
      });
      const kinds = ['rts', 'cts', 'data', 'ack'];
      const later = seen.collided
        .filter(({ kind }) => kind > 0)
        .map((each) => `${each.packet} ${each.tries} ${kinds[each.kind]}`);
      const at = `${name} at ${moment.time} s`;
      assert.equal(seen.collided.length - later.length, moment.rts, `RTS, ${at}`);
      assert.equal(seen.missed.length, moment.missed, `missed, ${at}`);
      assert.equal(seen.losses.length, moment.losses, `losses, ${at}`);
      assert.deepEqual(
        moment.surely.filter((each) => !later.includes(each)),
        [],
        `later frames, ${at}`,
      );
      assert.deepEqual(
        later.filter((each) => !moment.perhaps.includes(each)),
        [],
        `later frames, ${at}`,
      );
      const total = String(seen.collided.length + seen.missed.length);
      await tab.waitForFunction(
        (text) => document.querySelector('[data-count=collisions]').textContent === text,
        total,
      );
      await tab.waitForFunction(
        (text) => document.querySelector('[data-count=losses]').textContent === text,
        String(moment.losses),
      );
      collisions += seen.collided.length + seen.missed.length;
      losses += moment.losses;
    }
    context.diagnostic(`${name}: ${collisions} collisions, ${losses} losses at ${moments.length} moments`);
    assert.ok(collisions > 0);
    await tab.close();
  }
});

test('pictures in a second while 50 nodes over 900 s are scrubbed', {
  skip: skip || (!isThere('long.html') && 'no long run'),
  timeout: 300_000,
}, async (context) => {
  const tab = await opened('long.html', '#t=450&span=900');
  await tab.waitForFunction(() => window.hopwright.runs[0].overview?.done === 1, null, { timeout: 240_000 });
  await ready(tab);
  await picture(tab, 'long-far');
  for (const span of [900, 60, 2, 0.1]) {
    const rate = await tab.evaluate(
      (seen) =>
        new Promise((done) => {
          const { clock } = window.hopwright;
          let count = 0;
          const begin = performance.now();
          const next = (now) => {
            count += 1;
            const part = (now - begin) / 3000;
            if (part >= 1) return done((1000 * count) / (now - begin));
            clock.set({ span: seen, time: 100 + 5 * seen * part });
            requestAnimationFrame(next);
          };
          requestAnimationFrame(next);
        }),
      span,
    );
    context.diagnostic(`${span} s seen: ${rate.toFixed(0)} pictures in a second`);
  }
  await picture(tab, 'long-near');
  await tab.close();
});
