/**
 * Goal: the page of a history shows each point and night, leads to run folders by the keyboard, and
 * needs nothing from anywhere. Method: 20 nights with one divergence and a measurement, in a real
 * Chromium, light, dark and on paper; axe-core, which is not ours, judges labels and contrast.
 */
import { accessSync, constants, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import t from 'tap';
import { sampleRow } from '../harness/history/sample-rows.js';
import { renderHistoryPage } from './html-history.js';

const executable = ['chromium', 'chromium-browser', 'google-chrome']
  .flatMap((name) =>
    (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name)),
  )
  .find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
const missing =
  executable === undefined ? 'no Chromium is on PATH; apt-get install chromium' : false;

const nights = Array.from({ length: 20 }, (_, index) => ({
  night: `night-${index + 1}`,
  at: `2026-11-${String(index + 1).padStart(2, '0')}T02:00:00Z`,
}));
const rows = nights.flatMap((night, index) => [
  ...['bookworm', 'trixie'].map((image) =>
    sampleRow({
      ...night,
      image,
      level: 'point',
      vector: '',
      folder: `runs/${2 * index + (image === 'trixie' ? 1 : 0)}`,
      duration_ms: 900 + index,
      verdict: index === 12 && image === 'trixie' ? 'diverges' : 'conforms',
    }),
  ),
  sampleRow({
    ...night,
    level: 'measure',
    vector: '',
    scenario: 'rates <b>',
    unit: 'packets/s',
    samples: [1000 + index, 990],
  }),
]);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

void t.test('in Chromium', { skip: missing }, async (t) => {
  const folder = t.testdir({
    'history.html': await renderHistoryPage({
      rows,
      nights,
      linkOf: (folder) => folder || undefined,
    }),
  });
  const browser = await chromium.launch({
    executablePath: executable ?? '',
    args: ['--no-sandbox'],
  });
  t.teardown(() => browser.close());
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await browser.newPage({ colorScheme });
    const wrong: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith('file:')) wrong.push(request.url());
    });
    page.on('console', (message) => wrong.push(message.text()));
    page.on('pageerror', (error) => wrong.push(error.message));
    await page.goto(pathToFileURL(join(folder, 'history.html')).href);
    t.equal(
      await page.locator('a[href^="runs/"]').count(),
      42,
      'a link a point and night, and a version',
    );
    t.equal(await page.locator('.diverges').count(), 1);
    t.same(await page.locator('thead').first().locator('th').allTextContents(), [
      ...['scenario', 'sim:bookworm 3.5.0', 'sim:trixie 3.5.0'],
    ]);
    t.match(await page.locator('h2').last().textContent(), 'rates <b>');
    t.equal(await page.locator('svg').count(), 4, 'two heat maps and two trends');
    const focused = () => page.evaluate<string>('document.activeElement.getAttribute("href")');
    const press = async (...keys: readonly string[]) => {
      for (const key of keys) await page.keyboard.press(key);
      return await focused();
    };
    t.equal(await press('Tab', 'Tab'), 'runs/38', 'a heat map, then the last of a version');
    t.equal(await press('Tab', 'Tab'), 'runs/0', 'the other heat map, then the first point');
    t.equal(await press('ArrowRight', 'ArrowDown'), 'runs/3');
    t.equal(await press('End', 'ArrowRight'), 'runs/39', 'there is none behind it');
    t.equal(await press('Control+Home'), 'runs/0');
    t.equal(await press('Control+End', 'ArrowUp'), 'runs/38');
    t.equal(await press('Shift+Tab', 'Tab'), 'runs/38', 'one stop for all of the table');
    await page.evaluate(axe);
    const found = await page.evaluate<{
      readonly violations: readonly { id: string; nodes: readonly { html: string }[] }[];
    }>('axe.run()');
    t.same(
      found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`),
      [],
      colorScheme,
    );
    await page.emulateMedia({ media: 'print' });
    t.ok(await page.locator('table').last().isVisible(), 'on paper');
    t.same(wrong, []);
    if (process.env['FLOWBED_SCREENSHOTS'] !== undefined)
      await page.screenshot({
        path: join(process.env['FLOWBED_SCREENSHOTS'], `history-${colorScheme}.png`),
        fullPage: true,
      });
    await page.close();
  }
});
