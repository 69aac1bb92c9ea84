const EventEmitter = require('events'); const { once, on } = EventEmitter;
const e = new EventEmitter(); const log = (...a) => console.log(...a);
e.on('a', (x, y) => log('a', x, y)); e.once('a', () => log('once')); e.prependListener('a', () => log('first'));
log(e.emit('a', 1, 2), e.emit('a', 3), e.emit('none'), e.listenerCount('a'), e.eventNames(), e.listeners('a').length, e.rawListeners('a').length);
try { e.emit('error', new Error('bad')); } catch (err) { log(err.message); } try { e.emit('error', { a: 1 }); } catch (err) { log(err.message, err.code); } try { e.on('x', 5); } catch (err) { log(err.message, err.code, err.name); }
e.on('newListener', (n) => log('new', n)); e.on('z', () => {}); e.on('removeListener', (n) => log('removed', n)); e.removeAllListeners('z'); e.off('a', () => {});
const many = new EventEmitter(); many.setMaxListeners(1); log(many.getMaxListeners(), EventEmitter.defaultMaxListeners, e instanceof EventEmitter, typeof EventEmitter.EventEmitter);
log(e);
(async () => { setTimeout(() => e.emit('later', 5, 6), 1); log(await once(e, 'later')); setTimeout(() => { e.emit('n', 1); e.emit('n', 2); e.emit('n', 3); }, 1); let i = 0; for await (const [v] of on(e, 'n')) { log(v); if (++i === 3) break; }
  const t = new EventTarget(); t.addEventListener('foo', (ev) => log(ev.type, ev.target === t, ev instanceof Event, ev.defaultPrevented), { once: true }); log(t.dispatchEvent(new Event('foo')), t.dispatchEvent(new Event('foo')));
  const ac = new AbortController(); ac.signal.addEventListener('abort', () => log('aborted', ac.signal.reason.name, ac.signal.aborted)); ac.abort(); log(ac.signal); try { ac.signal.throwIfAborted(); } catch (err) { log(err.name, err.message, err.code); }
  await once(new EventEmitter(), 'x', { signal: ac.signal }).catch((err) => log(err.name, err.code)); class My extends EventEmitter { constructor() { super({ captureRejections: true }); } } const my = new My(); my.on('error', (err) => log('captured', err.message)); my.on('go', async () => { throw new Error('async'); }); my.emit('go');
})();
