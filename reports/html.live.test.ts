/**
 * Goal: the page is what a person with a keyboard, in the dark or on paper needs, and needs nothing
 * from anywhere. Method: pages of runs with the model in place of switches, in a real Chromium:
 * keys alone find the difference; axe-core, which is not ours, judges roles, labels and contrast;
 * every request and message of the page is an error.
 */
import { accessSync, constants, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import t from 'tap';
import encap from '../scenarios/antrea/encap.js';
import truthTable from '../scenarios/antrea/truth-table.js';
import { changedCluster } from '../topologies/generated/generated-changes.js';
import { generatedCluster } from '../topologies/generated/generated-policies.js';
import { Unavailable } from '../harness/base/errors/errors.js';
import {
  openFailing,
  openWithFlows,
  unjudgedRun,
  sampleRun,
} from '../harness/explain/sample-run.js';
import { renderHtml } from './html/html.js';

const executable = ['chromium', 'chromium-browser', 'google-chrome']
  .flatMap((name) =>
    (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name)),
  )
  .find(isExecutable);
const missing =
  executable === undefined ? 'no Chromium is on PATH; apt-get install chromium' : false;

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const axes = { nodes: '2', tunnel: 'geneve' };
const withoutRoute = openWithFlows('n1', 'br-int', (flows) =>
  flows.filter((flow) => !/tun_dst|TUN_IPV4_DST/i.test(flow)),
);
const dying = openFailing(
  600,
  () =>
    new Unavailable(
      'ovs-vswitchd of n1 is gone',
      ['see logs/n1/ovs-vswitchd.log'],
      ['killed (Segmentation fault)'],
    ),
);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

void t.test('in Chromium', { skip: missing }, async (t) => {
  const browser = await chromium.launch({
    executablePath: executable ?? '',
    args: ['--no-sandbox'],
  });
  t.teardown(() => browser.close());
  const diverging = pathToFileURL(
    t.testdir({
      'report.html': await renderHtml(
        await sampleRun([{ scenario: encap, axes, open: withoutRoute }]),
      ),
    }) + '/report.html',
  ).href;

  await t.test('keys alone lead to the first difference', async (t) => {
    const { page, complaints } = await openPage(browser, diverging);
    await page.locator('[role=grid] td[tabindex="0"]').focus();
    await page.keyboard.press('Home');
    for (let steps = 0; (await focused(page)).className !== 'diverges' && steps < 20; steps++)
      await page.keyboard.press(steps % 2 === 0 ? 'ArrowDown' : 'ArrowRight');
    const cell = await focused(page);
    t.match(
      cell.label,
      /^\w+ to \w+: \d vectors?, diverges\. Promise: .*must.* Model: kept\. Switch: broken\.$/,
    );
    await page.keyboard.press('Enter');
    t.match(await page.locator('dialog[open] h2').textContent(), /^\w[\w-]*\/[np]\d\/[np]\d$/);
    const first = page.locator('dialog[open] tr.first-difference');
    t.equal(await first.count(), 1, 'one row is marked');
    t.match(
      await first.textContent(),
      /table 70✕ first differencepriority=200,ip,nw_dst=10\.10\.2\.0\/24.*the switch does not hold this flow/,
    );
    const counts = await first.locator('td.count').allTextContents();
    t.strictSame(
      [Number(counts[0]) > 0, counts[1]],
      [true, '0'],
      'the model counted and the switch did not',
    );
    t.ok(
      await page.locator('dialog[open] tr.differs', { hasText: '✕ none' }).count(),
      'frames that one side lacks say so',
    );
    await tabTo(page, 'Go to the first difference');
    await page.keyboard.press('Enter');
    t.equal(await page.locator('tr.first-difference:focus').count(), 1);
    await page.keyboard.press('Escape');
    t.equal(await page.locator('dialog[open]').count(), 0);
    t.strictSame(await focused(page), cell, 'back where it was opened');
    t.ok((await outlineWidth(page)) >= 2, 'focus is seen');
    t.strictSame(complaints, []);
  });

  await t.test('filters narrow matrix and list', async (t) => {
    const { page } = await openPage(browser, diverging);
    const shown = () => page.locator('.filter output').textContent();
    t.equal(
      await shown(),
      await page
        .locator('h1')
        .textContent()
        .then((words) => `${/of (\d+)/.exec(words ?? '')?.[1]} vectors`),
    );
    await page.getByRole('combobox', { name: 'Verdict' }).selectOption('diverges');
    t.match(
      await shown(),
      new RegExp(`^${/\d+/.exec((await page.locator('h1').textContent()) ?? '')?.[0]} of `),
    );
    t.equal(await page.locator('[role=grid] td.conforms').count(), 0);
    await page.getByRole('searchbox', { name: 'Name' }).fill('udp/p1/p4');
    t.match(await shown(), /^1 of /);
    await page.locator('.list button.link').click();
    t.equal(await page.locator('dialog[open] h2').textContent(), 'udp/p1/p4');
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    await t.test(`axe finds nothing, ${colorScheme}`, async (t) => {
      const { page } = await openPage(browser, diverging, colorScheme);
      t.strictSame(await violations(page), []);
      await page.locator('[role=grid] td.diverges').first().click();
      t.strictSame(await violations(page), [], 'with a vector open');
      const [paper, ink] = await page.evaluate(() => {
        const style = getComputedStyle(document.body);
        return [style.backgroundColor, style.color];
      });
      t.equal(brightness(paper ?? '') > brightness(ink ?? ''), colorScheme === 'light');
    });
  }

  await t.test('on paper there is what was found, and nothing to click', async (t) => {
    const { page } = await openPage(browser, diverging, 'dark');
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    for (const seen of [
      '.findings',
      '.topology',
      '.matrix',
      '.legend',
      '.numbers',
      '.list tr.diverges',
    ])
      t.ok(await page.locator(seen).first().isVisible(), seen);
    for (const hidden of ['.filter', '.more', '.scenario > nav', '.list tr.conforms'])
      t.notOk(await page.locator(hidden).first().isVisible(), hidden);
    t.equal(
      await page.evaluate(() => getComputedStyle(document.body).backgroundColor),
      'rgb(255, 255, 255)',
      'paper is white, whatever the screen',
    );
  });

  await t.test('what conforms and what is inconclusive says so', async (t) => {
    const pages = t.testdir({
      'conforms.html': await renderHtml(await sampleRun([{ scenario: encap, axes }])),
      'inconclusive.html': await renderHtml(
        await sampleRun([{ scenario: encap, axes, open: dying }]),
      ),
    });
    const conforming = await openPage(browser, pathToFileURL(join(pages, 'conforms.html')).href);
    t.match(await conforming.page.locator('h1').textContent(), /✓ All \d+ vectors conform/);
    t.equal(await conforming.page.locator('.finding, td.diverges, td.inconclusive').count(), 0);
    const open = await openPage(browser, pathToFileURL(join(pages, 'inconclusive.html')).href);
    t.match(await open.page.locator('h1').textContent(), /\? \d+ of \d+ vectors have no verdict/);
    t.match(
      await open.page.locator('.finding').textContent(),
      /No verdict: ovs-vswitchd of n1 is gone.*see logs/s,
    );
    await open.page.locator('td.inconclusive').first().click();
    t.match(await open.page.locator('dialog[open] .levels').textContent(), /Switch\? not compared/);
    t.strictSame([...conforming.complaints, ...open.complaints], []);
    t.strictSame([...(await violations(conforming.page)), ...(await violations(open.page))], []);
  });

  await t.test(
    'a truth table: a matrix a service, by keys, in the dark and on paper',
    async (t) => {
      const small = {
        ...truthTable,
        topology: () =>
          generatedCluster(4, { nodes: 2, pods: 4, networkPolicies: 4, clusterNetworkPolicies: 2 }),
      };
      const without = openWithFlows('n1', 'br-int', (flows) =>
        flows.filter((flow) => !flow.startsWith('table=100,priority=200')),
      );
      const url = pathToFileURL(
        join(
          t.testdir({
            'report.html': await renderHtml(
              await sampleRun([
                {
                  scenario: small,
                  axes: { pods: '10', policies: '1', change: '0' },
                  open: without,
                },
              ]),
            ),
          }),
          'report.html',
        ),
      ).href;
      const { page, complaints } = await openPage(browser, url, 'dark');
      const row = async (name: string) =>
        (
          await page
            .locator('table.truth tr', { has: page.getByRole('rowheader', { name, exact: true }) })
            .locator('td')
            .allTextContents()
        ).map((text) => text.trim());
      const [cells, pass, refused, stop, unheld, model, real] = await row('all');
      t.equal(Number(pass) + Number(refused) + Number(stop) + Number(unheld), Number(cells));
      t.equal(model, cells, 'the model does as was promised');
      t.match(real, new RegExp(`^✕ \\d+ of ${cells}$`), 'the switches do not');
      t.equal(
        await page.locator('.truth-table table').count(),
        0,
        'none is drawn before it is opened',
      );
      await page.locator('.truth-table summary', { hasText: 'tcp-80' }).first().focus();
      await page.keyboard.press('Enter');
      const matrix = page.getByRole('grid', {
        name: 'tcp-80: Senders (rows) and destinations (columns)',
      });
      await matrix.waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.press('End');
      await page.keyboard.press('ArrowDown');
      t.match((await focused(page)).label, /^\S+ to \S+: (1 vector, |no vector)/);
      await matrix.locator('td.diverges').first().focus();
      await page.keyboard.press('Enter');
      t.match(await page.locator('dialog[open] h2').textContent(), /^tcp-80\//);
      await page.keyboard.press('Escape');
      t.strictSame(await violations(page), []);
      await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
      await page.emulateMedia({ media: 'print' });
      t.equal(
        await page.locator('.truth-table table').count(),
        await page.locator('.truth-table').count(),
        'all of them are drawn for paper',
      );
      t.ok(await page.locator('.truth-table table').last().isVisible());
      t.strictSame(complaints, []);
    },
  );

  await t.test(
    'what changed from one state to the next: in a table, marked in matrices, by keys, ' +
      'in the dark and on paper',
    async (t) => {
      const small = {
        ...truthTable,
        topology: ({ change }: { readonly change: string }) =>
          changedCluster(
            3,
            { nodes: 2, pods: 4, networkPolicies: 2, clusterNetworkPolicies: 1 },
            Number(change),
          ).cluster,
      };
      const states = ['0', '1'].map((change) => ({
        scenario: small,
        axes: { pods: '10', policies: '3', change },
      }));
      const record = await sampleRun(states);
      const [before, after] = record.report.scenarios.map(
        ({ vectors }) => new Map(vectors.map(({ id, intent }) => [id, intent.kind])),
      );
      const changed = [...(after ?? [])]
        .filter(([id, kind]) => (kind === 'denied') !== (before?.get(id) === 'denied'))
        .map(([id]) => id);
      t.ok(changed.length > 0);
      const [one = ''] = changed;
      const [service = '', from = '', to = ''] = one.split('/');
      const url = pathToFileURL(
        join(t.testdir({ 'report.html': await renderHtml(record) }), 'report.html'),
      ).href;
      const { page, complaints } = await openPage(browser, url, 'dark');
      t.equal(
        await page.locator('section[data-scenario="0"] :is(.changes, .corner-mark)').count(),
        0,
        'before all nothing is marked',
      );
      const section = page.locator('section[data-scenario="1"]');
      t.match(
        await section.locator('.lead').textContent(),
        /On the switches of before, changed: ClusterNetworkPolicy gate comes$/,
      );
      t.equal(
        await section.locator('table.truth tr.sum td').last().textContent(),
        String(changed.length),
      );
      const row = section
        .locator('table.changes tbody tr', { hasText: `${from} to ${to}` })
        .first();
      t.match(
        await row.textContent(),
        /must (pass|not pass|be refused)must (pass|not pass|be refused)/,
      );
      await row.locator('button').focus();
      await page.keyboard.press('Enter');
      t.match(
        await page.locator('dialog[open] .before').textContent(),
        /^Before: must (pass|not pass|be refused)$/,
      );
      t.strictSame(await violations(page), []);
      await page.keyboard.press('Escape');
      await section
        .locator('.truth-table summary', { hasText: `${service} ` })
        .first()
        .focus();
      await page.keyboard.press('Enter');
      const matrix = section.getByRole('grid', { name: `${service}: Senders` });
      await matrix.waitFor();
      t.equal(
        await matrix.locator('td.changed .corner-mark').count(),
        changed.filter((id) => id.startsWith(`${service}/`)).length,
        'as many corners as cells that changed',
      );
      await matrix.locator('td.changed').first().focus();
      t.match((await focused(page)).label, / Before: must (pass|not pass|be refused)\.$/);
      t.strictSame(await violations(page), []);
      await page.emulateMedia({ media: 'print' });
      for (const seen of ['table.changes', 'td.changed .corner-mark'])
        t.ok(await section.locator(seen).first().isVisible(), seen);
      t.strictSame(complaints, []);
    },
  );

  await t.test('ten nodes', async (t) => {
    const html = await renderHtml(await unjudgedRun(encap, { ...axes, nodes: '10' }));
    t.ok(html.length < 2_000_000, `${html.length} bytes`);
    t.notMatch(
      html.replace(/<script.*?<\/script>/gs, ''),
      /(src|href)="(?!#|data:)/,
      'nothing is fetched',
    );
    const { page, complaints } = await openPage(
      browser,
      pathToFileURL(join(t.testdir({ 'report.html': html }), 'report.html')).href,
    );
    t.equal(await page.locator('[role=grid] tbody tr').count(), 40);
    t.strictSame(complaints, []);
  });
});

async function openPage(
  browser: Browser,
  url: string,
  colorScheme: 'light' | 'dark' = 'light',
): Promise<{ readonly page: Page; readonly complaints: readonly string[] }> {
  const page = await browser.newPage({
    colorScheme,
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
  });
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (request.url() !== url && !request.url().startsWith('data:'))
      complaints.push(`asks for ${request.url()}`);
  });
  await page.goto(url);
  await page.waitForSelector('html[data-ready]');
  return { page, complaints };
}

/** What has the focus, as assistive technology would read it. */
async function focused(
  page: Page,
): Promise<{ readonly className: string; readonly label: string }> {
  return await page.evaluate(() => ({
    className: document.activeElement?.className.split(' ').find((name) => name !== 'edge') ?? '',
    label:
      document.activeElement?.getAttribute('aria-label') ??
      document.activeElement?.textContent ??
      '',
  }));
}

async function tabTo(page: Page, label: string): Promise<void> {
  for (let presses = 0; (await focused(page)).label !== label && presses < 20; presses++)
    await page.keyboard.press('Tab');
}

async function outlineWidth(page: Page): Promise<number> {
  return await page.evaluate(() => {
    const style = getComputedStyle(document.activeElement ?? document.body);
    return style.outlineStyle === 'none' ? 0 : parseFloat(style.outlineWidth);
  });
}

interface Findings {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
  }[];
}

/** What axe-core finds, and where; contrast (WCAG 2 AA, 4.5 to 1) is among what it inspects. */
async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  const found = await page.evaluate<Findings>('axe.run({ resultTypes: ["violations"] })');
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 3).map((node) => `${id}: ${node.html.slice(0, 120)}: ${node.failureSummary}`),
  );
}

function brightness(color: string): number {
  return (color.match(/\d+/g) ?? []).slice(0, 3).reduce((sum, part) => sum + Number(part), 0);
}
