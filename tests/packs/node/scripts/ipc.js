// Messages between a process and its children.
const { fork, spawn, spawnSync } = require('child_process');

const show = (x) => {
  if (x instanceof Error) return `${x.name} ${x.code} ${x.message}`;
  return typeof x === 'string' && x.length > 60 ? `${x.length} characters` : x;
};

if (process.argv[2]) child(process.argv[2]);
else main();

function child(mode) {
  if (mode === 'echo') {
    process.on('message', (message, handle) => {
      if (message === 'bye') process.disconnect();
      else process.send({ got: message, handle: handle === undefined });
    });
  } else if (mode === 'late') {
    setTimeout(() => process.on('message', (message) => process.send(message)), 50);
    process.on('disconnect', () => console.log('late: disconnect', process.connected));
  } else if (mode === 'idle') {
    console.log('idle', typeof process.send, process.connected, Object.keys(process.env).filter((k) => /CHANNEL/.test(k)));
  } else if (mode === 'exit') {
    process.send('one');
    process.send('two');
    process.exit(3);
  }
}

/// What happens to a child until a while after its end.
function watch(name, c, after) {
  const seen = [];
  for (const event of ['spawn', 'disconnect', 'exit', 'close', 'error', 'message', 'internalMessage'])
    c.on(event, (...args) => seen.push([event, ...args.map(show)]));
  after?.(c);
  return new Promise((resolve) => c.on('exit', () => setTimeout(resolve, 60))).then(() => {
    // The ends of the channel and of the process come at the same time.
    const at = (event) => seen.findIndex(([other]) => other === event);
    if (at('disconnect') > at('exit') && at('exit') >= 0) seen.splice(at('exit'), 0, ...seen.splice(at('disconnect'), 1));
    for (const line of seen) console.log(name, ...line);
  });
}

async function main() {
  await watch('echo', fork(__filename, ['echo']), (c) => {
    console.log(c.connected, typeof c.send, c.stdio.length, c.stdin, c.send({ a: 1 }));
    c.send([1, 'x', null], (error) => console.log('told', error));
    c.send('bye');
  });
  await watch('late', fork(__filename, ['late']), (c) => {
    c.send('early');
    c.on('message', () => c.disconnect());
  });
  await watch('idle', fork(__filename, ['idle'], { silent: true }), (c) => c.stdout.on('data', (d) => console.log(`${d}`)));
  await watch('exit', fork(__filename, ['exit']));
  await watch('closed', fork(__filename, ['echo']), (c) => {
    c.disconnect();
    console.log(c.connected, c.channel);
    c.disconnect();
    console.log(c.send('x'));
    c.send('y', (error) => console.log(error.code));
  });
  await values();
  await scripts();
  await rubbish();
  mistakes();
}

const run = (text, options) => spawn(process.execPath, ['-e', text], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], ...options });

async function values() {
  const all = {
    map: new Map([[1, new Set([2n])]]), date: new Date(0), nothing: undefined, bytes: Buffer.from('abc'), re: /a/g,
    zero: -0, floats: new Float64Array([1.5]), holes: [1, , 3], text: 'a\u20ac', boxed: Object(5), buffer: new ArrayBuffer(2),
  };
  all.self = all;
  for (const serialization of ['json', 'advanced']) {
    const c = run('process.once("message", m => process.send(m))', { serialization });
    if (serialization === 'json') delete all.self, delete all.map;
    c.send(serialization === 'json' ? all : { ...all, map: new Map([[1, new Set([2n])]]), error: Object.assign(new TypeError('x'), { stack: 's' }) });
    await watch(serialization, c);
  }
}

async function scripts() {
  let c = run('process.on("message", m => { process.send(m.length); process.send(m + "!", () => process.disconnect()) })');
  console.log(c.send('x'.repeat(5e6), (error) => console.log('sent', error)));
  await watch('big', c);
  await watch('cut', run('process.send("y".repeat(5e6)); process.exit(0)'));
  await watch('dropped', run('process.send("y".repeat(5e6), e => console.log("told", e)); process.disconnect()'));
  await watch('held', run('process.channel.ref(); setTimeout(() => process.channel.unref(), 50)'));
  await watch('not held', run('process.on("message", () => {}); process.channel.unref();'));
  c = spawn('sh', ['-c', 'env | grep CHANNEL | sort; read line <&4; echo "got $line"; echo \'{"a":1}\' >&4; exit 4'], {
    stdio: ['inherit', 'inherit', 'inherit', 'ignore', 'ipc'],
  });
  c.send({ to: 'sh' });
  await watch('sh', c);
  c = run(
    'const said = (f) => { try { f() } catch (e) { console.log(e.name, e.code, e.message.split("\\n")[0]) } };' +
      'const a = {}; a.a = a; for (const v of [undefined, a, 10n, () => 1, Symbol("s")]) said(() => process.send(v));' +
      'said(() => process.send({}, {})); said(() => process.send({}, null, 5)); said(() => process.send({}, 5));' +
      'process.send({ cmd: "NODE_x" }); process.send({ cmd: "x", u: undefined, f: NaN, d: new Date(0) }); process.send(null);' +
      'process.send(false); process.disconnect(); process.send("after", (e) => console.log("after", e.code));' +
      'process.on("error", (e) => console.log("error", e.code, e.message)); process.send("after"); process.disconnect();',
  );
  await watch('odd', c);
  c = run('setInterval(() => {}, 1000)');
  setTimeout(() => c.kill(), 100);
  await watch('killed', c);
  c.send('dead', (error) => console.log(error.code));
  c = fork('/tmp/x', { execPath: '/no/such/node' });
  c.send('x', (error) => console.log('send', show(error)));
  for (const event of ['error', 'disconnect', 'close']) c.on(event, (...args) => console.log(event, ...args.map(show)));
  await new Promise((resolve) => setTimeout(resolve, 50));
}

async function rubbish() {
  const heard = (error) => console.log('uncaught', error.name, error.message);
  process.on('uncaughtException', heard);
  const cases = [
    ['echo rubbish >&3; sleep 0.2; echo "\\"ok\\"" >&3'],
    ['printf "\\"a\\"\\n\\"b" >&3'],
    ['printf "{\\"a\\":1}\\n\\n\\"c\\"\\n" >&3; sleep 0.2; printf "5\\n" >&3'],
    ['printf "\\"\\303\\n" >&3'],
    ['printf "\\377\\377\\377\\377" >&3', 'advanced'],
    ['printf "\\0\\0\\0\\3abc" >&3', 'advanced'],
    ['printf "\\0\\0\\0\\0" >&3', 'advanced'],
    ['printf "\\0\\0\\0\\3\\377\\017" >&3', 'advanced'],
    ['printf "\\0\\0\\0\\007\\377\\017A\\377\\377\\377\\377" >&3', 'advanced'],
  ];
  for (const [text, serialization] of cases)
    await watch(text, spawn('sh', ['-c', text], { stdio: [0, 1, 2, 'ipc'], serialization }));
  process.off('uncaughtException', heard);
}

function mistakes() {
  const calls = [
    () => fork(__filename, [], { stdio: ['pipe', 'pipe', 'pipe'] }),
    () => fork(__filename, [], { stdio: ['pipe', 'ipc', 'ipc'] }),
    () => fork(__filename, [], { stdio: 'x' }),
    () => fork(__filename, [], { serialization: 'x' }),
    () => fork(__filename, [], { execPath: 5 }),
    () => fork(1),
    () => fork(),
    () => fork(__filename, 'a'),
    () => fork(__filename, [], 'x'),
    () => spawn('true', [], { stdio: ['ipc', 'ipc'] }),
    () => spawnSync('true', { stdio: [0, 1, 2, 'ipc'] }),
  ];
  for (const call of calls) {
    try {
      call();
      console.log('nothing');
    } catch (error) {
      console.log(show(error));
    }
  }
  const c = spawn('true');
  console.log(c.send, c.disconnect, c.connected, c.channel, process.send, 'connected' in process);
}
