/** The page in a browser: it loads, moves, tells stories, compares, and leads to moments. */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { closed, expected, isThere, memoryOf, opened, picture, ready, skip } from './browser.mjs';

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
  await story.getByText('What led to it').waitFor();
  await tab.close();
});

test('a click on the map picks the frame on the air, and the last one of a link in use', {
  skip,
}, async () => {
  const tab = await opened('chain.html', '#t=5.4&span=0.02');
  await ready(tab);
  // In the middle of a collided frame; and where its nodes are on the map.
  const frame = await tab.evaluate(() => {
    const { clock, runs, shown } = window.hopwright;
    const [found] = shown(runs[0], 5, 8, null).collided;
    clock.set({ time: found.time + 1e-4 });
    return found;
  });
  await ready(tab);
  const map = await tab.locator('[data-view=map]').boundingBox();
  const middle = (from, to) =>
    tab.evaluate(
      ([a, b, wide]) => {
        const { clock, runs } = window.hopwright;
        const { at, box } = runs[0].tracks;
        const places = at.call(runs[0].tracks, clock.state.time);
        const scale = (wide - 68) / (box.x1 - box.x0);
        return wide / 2 + ((places[2 * a] + places[2 * b]) / 2 - (box.x0 + box.x1) / 2) * scale;
      },
      [from, to, map.width],
    );
  // The two directions of a link lie beside each other.
  const clicked = async (from, to) =>
    tab.mouse.click(map.x + (await middle(from, to)), map.y + map.height / 2 + 3 * Math.sign(to - from));
  await clicked(frame.node, frame.to);
  assert.deepEqual((await state(tab)).chosen, { run: 0, kind: 'frame', id: frame.frame });
  assert.match(await tab.locator('.story').textContent(), /collided/);
  await picture(tab, 'map-frame');
  // A moment when nothing is on the air; the link's last frame comes into view in the lanes.
  const link = await tab.evaluate(() => {
    const { clock, runs } = window.hopwright;
    const block = runs[0].frames.seen(7, 7.5, 4).blocks[0];
    const received = runs[0].code('received');
    for (let row = block.count - 1; row > 0; row--) {
      const ends = block.from[row - 1] + block.lasts[row - 1];
      const isGap = block.from[row] - ends > 1e-4;
      if (!isGap || block.kind[row - 1] !== 3 || block.from[row] > 7.5) continue;
      let data = row - 1;
      while (block.kind[data] !== 2 || block.result[data] !== received) data -= 1;
      clock.set({ time: ends + 5e-5, span: 1e-4, chosen: null });
      return { id: block.first + data, node: block.node[data], to: block.to[data], from: block.from[data] };
    }
    return null;
  });
  await ready(tab);
  await clicked(link.node, link.to);
  const { chosen, time } = await state(tab);
  assert.deepEqual(chosen, { run: 0, kind: 'frame', id: link.id });
  assert.equal(time, link.from);
  await picture(tab, 'map-link');
  await tab.close();
});

test('several flows can be looked at', { skip }, async () => {
  const tab = await opened('grid.html', '#t=5.4&span=0.2');
  await ready(tab);
  const count = async (flows) => {
    await tab.evaluate((chosen) => window.hopwright.clock.set({ flows: chosen }), flows);
    await tab.waitForTimeout(600);
    await ready(tab);
    return Number(await tab.locator('[data-count=frames]').textContent());
  };
  const [one, two, both] = [await count([0]), await count([2]), await count([0, 2])];
  assert.ok(one > 0 && two > 0);
  assert.equal(both, one + two);
  assert.match(await tab.locator('.numbers').textContent(), /of flows 0 and 2/);
  assert.match(await tab.evaluate(() => location.hash), /flow=0,2/);
  await tab.close();
});

test('a link leads to a moment, and is kept', { skip }, async () => {
  const tab = await opened('chain.html', '#t=7.25&span=0.05&node=3&flow=0&views=lanes');
  await ready(tab);
  const { time, span, chosen, flows, views } = await state(tab);
  assert.deepEqual(
    { time, span, chosen, flows, views },
    {
      ...{ time: 7.25, span: 0.05, flows: [0], views: 'lanes' },
      chosen: { run: 0, kind: 'node', id: 3 },
    },
  );
  assert.match(await tab.locator('.story').textContent(), /Node 3/);
  await tab.evaluate(() => window.hopwright.clock.set({ time: 8 }));
  await tab.waitForFunction(() => location.hash.startsWith('#t=8&'));
  await tab.close();
});

test('a link to flows that are not there shows those that are', { skip }, async () => {
  const none = await opened('chain.html', '#t=7&flow=77');
  await ready(none);
  assert.equal((await state(none)).flows, null);
  assert.ok(Number(await none.locator('[data-count=frames]').textContent()) > 0);
  await none.close();
  const some = await opened('chain.html', '#t=7&flow=0,77');
  await ready(some);
  assert.deepEqual((await state(some)).flows, [0]);
  await some.close();
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

/** Pictures in a second while the time line is scrubbed for 3 s, or while the run plays at a speed. */
const rate = (tab, span, speed = 0) =>
  tab.evaluate(
    ([seen, pace]) =>
      new Promise((done) => {
        const { clock } = window.hopwright;
        const { end } = clock;
        const first = end / 9;
        if (pace) clock.set({ time: end / 4, span: seen, speed: pace, isPlaying: true });
        let count = 0;
        const begin = performance.now();
        const next = (now) => {
          count += 1;
          const part = (now - begin) / 3000;
          if (part >= 1) {
            clock.set({ isPlaying: false });
            return done((1000 * count) / (now - begin));
          }
          if (!pace) clock.set({ span: seen, time: first + Math.min(5 * seen, end - first) * part });
          requestAnimationFrame(next);
        };
        requestAnimationFrame(next);
      }),
    [span, speed],
  );

test('pictures in a second while 50 nodes over 900 s are scrubbed', {
  skip: skip || (!isThere('long.html') && 'no long run'),
  timeout: 300_000,
}, async (context) => {
  const tab = await opened('long.html', '#t=450&span=900');
  await tab.waitForFunction(() => window.hopwright.runs[0].overview?.done === 1, null, { timeout: 240_000 });
  await ready(tab);
  await picture(tab, 'long-far');
  for (const span of [900, 60, 2, 0.1]) {
    context.diagnostic(`${span} s seen: ${(await rate(tab, span)).toFixed(0)} pictures in a second`);
  }
  await picture(tab, 'long-near');
  await tab.close();
});

test('1,000 nodes: until the first picture, pictures in a second, memory', {
  skip: skip || (!isThere('crowd.html') && 'no long run'),
  timeout: 300_000,
}, async (context) => {
  const begin = performance.now();
  const tab = await opened('crowd.html', '#t=5&span=0.1');
  await ready(tab);
  context.diagnostic(`complete picture after ${((performance.now() - begin) / 1000).toFixed(1)} s`);
  assert.ok(Number(await tab.locator('[data-count=frames]').textContent()) > 0);
  await picture(tab, 'crowd-near');
  await tab.waitForFunction(() => window.hopwright.runs[0].overview?.done === 1, null, { timeout: 240_000 });
  for (const span of [20, 2, 0.1, 0.02]) {
    context.diagnostic(
      `scrubbed, ${span} s seen: ${(await rate(tab, span)).toFixed(0)} pictures in a second`,
    );
  }
  await picture(tab, 'crowd-scrubbed');
  for (const [span, speed] of [
    [20, 1],
    [0.1, 0.01],
  ]) {
    const pace = (await rate(tab, span, speed)).toFixed(0);
    context.diagnostic(`played at ${speed} of real time, ${span} s seen: ${pace} pictures in a second`);
  }
  context.diagnostic(`the page's process holds ${((await memoryOf(tab)) / 1e6).toFixed(0)} MB`);
  assert.deepEqual(tab.errors, []);
  await tab.close();
});
