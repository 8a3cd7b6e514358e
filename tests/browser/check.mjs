// SPDX-License-Identifier: BSD-3-Clause
// Opens reports in Chromium and looks at them as a reader would: nothing on the console, nothing fetched, no page wider
// than the window at 1300 and 400 pixels, a drag zooms all charts along the track, a button goes back, hovering shows
// values, night and paper have their own colors.
//     node --experimental-websocket check.mjs <chromium> <folder with pages> [folder for pictures]
import {spawn} from 'node:child_process';
import {mkdtempSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';

const [chromium, folder, pictures] = process.argv.slice(2);
const pages = readdirSync(folder).filter(f => f.endsWith('.html')).sort();
if (pages.length === 0) { console.log('skipped: there are no pages'); process.exit(0); }
const profile = mkdtempSync(join(tmpdir(), 'panto_browser_'));
const browser = spawn(chromium, ['--headless=new', '--no-sandbox', '--disable-gpu', '--remote-debugging-port=0',
                                 '--user-data-dir=' + profile, 'about:blank'], {stdio: ['ignore', 'ignore', 'pipe']});
let failed = 0;
const fail = text => { console.log('FAILED: ' + text); failed = 1; };
const end = () => { browser.kill(); setTimeout(() => { rmSync(profile, {recursive: true, force: true}); process.exit(failed); }, 500); };
setTimeout(() => { fail('no end after 120 s'); end(); }, 120000).unref();

const address = await new Promise((found, lost) => {
  let said = '';
  browser.stderr.on('data', text => { said += text; const m = said.match(/ws:\/\/\S+/); if (m) found(m[0]); });
  browser.on('exit', () => lost(new Error('chromium ended: ' + said)));
});
const socket = new WebSocket(address);
await new Promise(open => socket.addEventListener('open', open));
let count = 0;
const waiting = new Map(), events = [];
socket.addEventListener('message', ({data}) => {
  const message = JSON.parse(data);
  if (message.id) { waiting.get(message.id)(message); waiting.delete(message.id); } else events.push(message);
});
const send = (method, params = {}, sessionId) => new Promise((done, lost) => {
  waiting.set(++count, m => m.error ? lost(new Error(method + ': ' + m.error.message)) : done(m.result));
  socket.send(JSON.stringify({id: count, method, params, sessionId}));
});
const pause = ms => new Promise(done => setTimeout(done, ms));

for (const page of pages) {
  const {targetId} = await send('Target.createTarget', {url: 'about:blank'});
  const {sessionId} = await send('Target.attachToTarget', {targetId, flatten: true});
  const tab = (method, params) => send(method, params, sessionId);
  const value = async expression => (await tab('Runtime.evaluate', {expression, returnByValue: true})).result.value;
  for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await tab(domain + '.enable');
  const picture = async name => {
    if (!pictures) return;
    const {cssContentSize: size} = await tab('Page.getLayoutMetrics');
    const {data} = await tab('Page.captureScreenshot', {captureBeyondViewport: true, clip: {x: 0, y: 0, width: size.width, height: size.height, scale: 1}});
    writeFileSync(join(pictures, page.replace('.html', '_' + name + '.png')), Buffer.from(data, 'base64'));
  };
  for (const width of [1300, 400]) {
    await tab('Emulation.setDeviceMetricsOverride', {width, height: 900, deviceScaleFactor: 1, mobile: width < 600});
    await tab('Page.navigate', {url: 'file://' + resolve(folder, page)});
    for (let i = 0; i < 100 && await value('document.readyState') !== 'complete'; ++i) await pause(100);
    await pause(300);
    const wide = await value('document.documentElement.scrollWidth');
    if (wide > width) fail(`${page} is ${wide} pixels wide in a window of ${width}`);
    await picture(width);
    const charts = await value('window.pantoCharts ? pantoCharts.length : -1');
    if (charts < 0) {
      if (!await value('document.querySelectorAll("svg").length > 0')) fail(`${page} draws nothing`);
      continue;
    }
    if (await value('document.querySelectorAll(".chart canvas").length') < 2 * charts) fail(`${page}: a chart is not drawn`);
    // Nothing of a chart may stand outside of its card.
    if (await value('[...document.querySelectorAll(".chart")].some(c => c.getBoundingClientRect().right > innerWidth)')) fail(`${page}: a chart leaves the window of ${width}`);
    const box = JSON.parse(await value('(() => { const e = document.getElementById("chart_force"); e.scrollIntoView({block: "center"}); const r = e.getBoundingClientRect(), a = pantoCharts[0].getArea(); return JSON.stringify({x: r.left + a.x, y: r.top + a.y, w: a.w, h: a.h}); })()'));
    const before = await value('pantoCharts[0].xAxisRange()');
    const mouse = (type, x, y) => tab('Input.dispatchMouseEvent', {type, x: box.x + x * box.w, y: box.y + y * box.h, button: type === 'mouseMoved' ? 'none' : 'left', buttons: type === 'mouseReleased' ? 0 : 1, clickCount: 1});
    await tab('Input.dispatchMouseEvent', {type: 'mouseMoved', x: box.x + 0.5 * box.w, y: box.y + 0.5 * box.h});
    await pause(100);
    const legend = await value('document.getElementById("legend_force").textContent');
    if (!/[0-9]/.test(legend)) fail(`${page}: hovering shows no value but '${legend}'`);
    await mouse('mousePressed', 0.4, 0.5);
    for (const x of [0.45, 0.5, 0.55, 0.6]) await tab('Input.dispatchMouseEvent', {type: 'mouseMoved', x: box.x + x * box.w, y: box.y + 0.5 * box.h, button: 'left', buttons: 1});
    await mouse('mouseReleased', 0.6, 0.5);
    await pause(200);
    const after = await value('pantoCharts[0].xAxisRange()');
    const share = (after[1] - after[0]) / (before[1] - before[0]);
    if (!(Math.abs(share - 0.2) < 0.03)) fail(`${page} at ${width}: a drag over a fifth shows ${share} of the track`);
    const others = await value('pantoCharts.filter(g => g.pantoTrack).every(g => Math.abs(g.xAxisRange()[0] - pantoCharts[0].xAxisRange()[0]) < 1e-6)');
    if (!others) fail(`${page}: the other charts along the track do not follow`);
    await picture(width + '_zoomed');
    await value('document.getElementById("whole_force").click()');
    const back = await value('pantoCharts[0].xAxisRange()');
    if (Math.abs(back[0] - before[0]) > 1e-6 || Math.abs(back[1] - before[1]) > 1e-6) fail(`${page}: "show all" does not`);
    const color = () => value('getComputedStyle(document.body).backgroundColor');
    const light = await color();
    await tab('Emulation.setEmulatedMedia', {features: [{name: 'prefers-color-scheme', value: 'dark'}]});
    await pause(300);
    if (await color() === light) fail(`${page}: no colors of its own by night`);
    await picture(width + '_dark');
    await tab('Emulation.setEmulatedMedia', {media: 'print', features: [{name: 'prefers-color-scheme', value: 'dark'}]});
    if (await color() !== 'rgb(255, 255, 255)') fail(`${page}: paper is not white`);
    await tab('Emulation.setEmulatedMedia', {media: '', features: []});
    const {data} = await tab('Page.printToPDF', {printBackground: false});
    if (pictures) writeFileSync(join(pictures, page.replace('.html', `_${width}.pdf`)), Buffer.from(data, 'base64'));
    await pause(100);
  }
  for (const {method, params} of events.splice(0)) {
    if (method === 'Runtime.exceptionThrown') fail(`${page}: ${params.exceptionDetails.text} ${params.exceptionDetails.exception?.description ?? ''}`);
    if (method === 'Runtime.consoleAPICalled') fail(`${page} writes on the console: ${JSON.stringify(params.args)}`);
    if (method === 'Log.entryAdded') fail(`${page}: ${params.entry.level}: ${params.entry.text}`);
    if (method === 'Network.requestWillBeSent' && !/^(file|data|about):/.test(params.request.url)) fail(`${page} fetches ${params.request.url}`);
  }
  await send('Target.closeTarget', {targetId});
  console.log(page + ': looked at');
}
end();
