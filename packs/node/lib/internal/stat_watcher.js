// `fs.watchFile`: asks again and again.

const fs = require('fs');
const EventEmitter = require('events');
const { Stats } = require('internal/stats');

const watchers = new Map();
const none = () => new Stats(new Array(16).fill(0));
const look = (path) => fs.statSync(path, { throwIfNoEntry: false }) ?? none();

function watchFile(path, { interval = 5007, persistent = true }, listener) {
  let watcher = watchers.get(path);
  if (!watcher) {
    watcher = new EventEmitter();
    let before = look(path);
    const timer = setInterval(() => {
      const now = look(path);
      if (now.mtimeMs !== before.mtimeMs || now.size !== before.size || now.ino !== before.ino) {
        watcher.emit('change', now, before);
        before = now;
      }
    }, interval);
    if (!persistent) timer.unref();
    watcher.stop = () => clearInterval(timer);
    watcher.ref = () => { timer.ref(); return watcher; };
    watcher.unref = () => { timer.unref(); return watcher; };
    watchers.set(path, watcher);
  }
  watcher.on('change', listener);
  return watcher;
}

function unwatchFile(path, listener) {
  const watcher = watchers.get(path);
  if (!watcher) return;
  if (listener) watcher.removeListener('change', listener);
  else watcher.removeAllListeners('change');
  if (watcher.listenerCount('change') === 0) {
    watcher.stop();
    watchers.delete(path);
  }
}

module.exports = { watchFile, unwatchFile };
