import type { HostileScript } from './escape-scripts.ts';

/** Scripts that send, throw and return what is hard to take. The table only grows. */
export const bridgeScripts: readonly HostileScript[] = [
  // Getters and proxies across the bridge
  [
    'throwing getter in arguments',
    'await ctx.tools.echo({ get x() { throw new Error("g") } })',
    { failure: 'uncaught' },
  ],
  [
    'getter with side effects in arguments',
    'let n = 0; const a = { get x() { n += 1; return n } }; const r = await ctx.tools.echo(a); return [r.structured.x, n]',
    { value: [1, 1] },
  ],
  [
    'getter that pollutes while it is read',
    'await ctx.tools.echo({ get x() { Object.prototype.toJSON = () => 1; return 1 }, y: 2 }); return 1',
    { failure: 'TypeError' },
  ],
  [
    'proxy as arguments',
    'return (await ctx.tools.echo(new Proxy({ a: 1 }, {}))).structured',
    { value: { a: 1 } },
  ],
  [
    'revoked proxy as arguments',
    'const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); await ctx.tools.echo(proxy)',
    { failure: 'TypeError' },
  ],
  [
    'proxy whose traps throw',
    'await ctx.tools.echo(new Proxy({}, { ownKeys() { throw new Error("trap") } }))',
    { failure: 'uncaught' },
  ],
  [
    'proxy that lies about its keys',
    'return (await ctx.tools.echo(new Proxy({}, { ownKeys: () => ["a"], getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }), get: () => 5 }))).structured',
    { value: { a: 5 } },
  ],
  [
    'tool name that is no string',
    'await ctx.tool({ toString: () => "echo" })',
    { failure: 'TypeError' },
  ],
  [
    'tool name that is a String object',
    'await ctx.tool(new String("echo"))',
    { failure: 'TypeError' },
  ],
  [
    'tool name of a megabyte',
    'return (await ctx.tool("x".repeat(1e6))).error.reason',
    { value: 'arguments_too_large' },
  ],
  [
    'options with a throwing getter',
    'await ctx.tool("echo", {}, { get throwOnError() { throw new Error("o") } })',
    { failure: 'uncaught' },
  ],
  ['calling tools with new', 'new ctx.tools.echo({})', { failure: 'TypeError' }],
  [
    'tool functions with another this',
    'return (await ctx.tools.echo.call(null, { a: 1 })).structured',
    { value: { a: 1 } },
  ],
  [
    'cycle in arguments',
    'const a = {}; a.a = a; await ctx.tools.echo(a)',
    { failure: 'TypeError' },
  ],
  ['big integer in arguments', 'await ctx.tools.echo({ a: 1n })', { failure: 'TypeError' }],
  [
    'symbol and function in arguments',
    'return (await ctx.tools.echo({ a: Symbol("x"), b: () => 1, c: 1 })).structured',
    { value: { c: 1 } },
  ],
  [
    'map, set and date in arguments',
    'return (await ctx.tools.echo({ a: new Map([[1, 2]]), b: new Set([1]), c: new Date(0) })).structured',
    { value: { a: {}, b: {}, c: '1970-01-01T00:00:00.000Z' } },
  ],
  [
    'odd numbers in arguments',
    'return (await ctx.tools.echo({ a: NaN, b: -0, c: Infinity, d: undefined })).structured',
    { value: { a: null, b: 0, c: null } },
  ],
  [
    'bytes in arguments',
    'return (await ctx.tools.echo({ a: new Uint8Array([1, 2]) })).structured',
    { value: { a: { 0: 1, 1: 2 } } },
  ],
  [
    'lone surrogate in arguments',
    'return (await ctx.tools.echo({ a: "\\ud800" })).structured.a === "\\ud800"',
    { value: true },
  ],
  [
    'NUL in arguments',
    'return (await ctx.tools.echo({ a: "a\\0b" })).structured.a.length',
    { value: 3 },
  ],
  [
    'arguments that are no object',
    'return (await ctx.tools.echo("text")).structured',
    { value: 'text' },
  ],

  // What is thrown and returned
  ['throw null', 'throw null', { failure: 'uncaught' }],
  ['throw undefined', 'throw undefined', { failure: 'uncaught' }],
  ['throw a string', 'throw "text"', { failure: 'uncaught' }],
  ['throw a symbol', 'throw Symbol("x")', { failure: 'uncaught' }],
  [
    'throw a proxy whose traps throw',
    'throw new Proxy({}, { get() { throw new Error("trap") } })',
    { failure: 'uncaught' },
  ],
  [
    'throw a revoked proxy',
    'const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); throw proxy',
    { failure: 'uncaught' },
  ],
  [
    'throw an error with hostile fields',
    'throw Object.defineProperties(new Error(), { message: { get() { throw 1 } }, name: { get() { throw 2 } }, stack: { get() { throw 3 } } })',
    { failure: 'uncaught' },
  ],
  [
    'throw an error with a message of megabytes',
    'throw new Error("x".repeat(5e6))',
    { failure: 'uncaught' },
  ],
  [
    'throw an error whose name is an object',
    'throw Object.assign(new Error("x"), { name: { toString: () => "Named" } })',
    { failure: 'Named' },
  ],
  [
    'throw a look-alike of an import error',
    'throw Object.assign(new Error("x"), { name: "ImportError" })',
    { failure: 'ImportError' },
  ],
  ['throw a look-alike of an interrupt', 'throw new Error("interrupted")', { failure: 'uncaught' }],
  [
    'throw a look-alike of exhaustion',
    'throw new InternalError("out of memory")',
    { failure: 'ReferenceError' },
  ],
  [
    'throw in a microtask',
    'queueMicrotask(() => { throw new Error("micro") }); await null; return 1',
    { failure: 'uncaught' },
  ],
  ['a rejection that nobody handles', 'Promise.reject(new Error("x")); return 1', { value: 1 }],
  ['return nothing', '', { value: null }],
  ['return a function', 'return () => 1', { value: null }],
  ['return a symbol', 'return Symbol("x")', { value: null }],
  ['return a big integer', 'return 1n', { failure: 'TypeError' }],
  ['return a cycle', 'const a = []; a.push(a); return a', { failure: 'TypeError' }],
  [
    'return a throwing getter',
    'return { get a() { throw new Error("late") } }',
    { failure: 'result' },
  ],
  [
    'return a value whose toJSON loops once',
    'let n = 0; return { toJSON() { return n++ ? 1 : this } }',
    { value: {} },
  ],
  ['return a thenable', 'return { then(ok) { ok(5) } }', { value: 5 }],
  [
    'return a thenable that calls twice',
    'return { then(ok, no) { ok(5); no(6); ok(7) } }',
    { value: 5 },
  ],
  [
    'return a thenable that throws',
    'return { then() { throw new Error("then") } }',
    { failure: 'uncaught' },
  ],
  [
    'return ctx',
    'return Object.keys(JSON.parse(JSON.stringify(ctx))).join()',
    { value: 'tools,catalog' },
  ],
  ['return a lone surrogate', 'return "\\ud800".charCodeAt(0)', { value: 0xd800 }],

  // Deep and large values
  [
    'deep arrays to a tool',
    'let a = []; for (let i = 0; i < 300; i++) a = [a]; return (await ctx.tools.echo(a)).structured',
    { value: 'too deep' },
  ],
  [
    'deep arrays returned',
    'let a = []; for (let i = 0; i < 300; i++) a = [a]; return a',
    { failure: 'result' },
  ],
  [
    'brackets in strings are no depth',
    'return String.fromCharCode(92, 34) + "[".repeat(300)',
    { value: `\\"${'['.repeat(300)}` },
  ],
  ['deep JSON parsed', 'JSON.parse("[".repeat(1e6))', { failure: 'stack_overflow' }],
  [
    'deep parentheses evaluated',
    'eval("(".repeat(1e5) + "1" + ")".repeat(1e5))',
    { failure: 'stack_overflow' },
  ],
  ['deep recursion', 'function f() { return f() + 1 } f()', { failure: 'stack_overflow' }],
  [
    'deep recursion caught',
    'function f() { return f() + 1 } try { f() } catch (e) { return e.name }',
    { value: 'RangeError' },
  ],
  [
    'deep recursion through a getter',
    'const o = { get x() { return this.x } }; return o.x',
    { failure: 'stack_overflow' },
  ],
  [
    'deep recursion through toString',
    'const o = { toString() { return o + "" } }; return o + ""',
    { failure: 'stack_overflow' },
  ],
  [
    'deep recursion through sort',
    'const f = () => [1, 2].sort(f); f()',
    { failure: 'stack_overflow' },
  ],
  [
    'deep recursion through a proxy',
    'let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); return p.x',
    { failure: 'stack_overflow' },
  ],
  [
    'deep recursion through replace',
    'const f = () => "a".replace(/a/, f); f()',
    { failure: 'stack_overflow' },
  ],
  [
    'deep recursion through JSON',
    'const o = { toJSON: () => JSON.stringify(o) }; JSON.stringify(o)',
    { failure: 'stack_overflow' },
  ],
  [
    'deep recursion through a constructor',
    'class A { constructor() { new A() } } new A()',
    { failure: 'stack_overflow' },
  ],
  [
    'deep nesting of a regular expression',
    'new RegExp("(?:".repeat(1e5) + "a" + ")*".repeat(1e5))',
    { failure: 'SyntaxError' },
  ],
  [
    'too many captures',
    'new RegExp("(".repeat(1e5) + ")".repeat(1e5))',
    { failure: 'SyntaxError' },
  ],
  ['too many arguments', 'Math.max(...new Array(1e6).fill(1))', { failure: 'RangeError' }],
  ['a string past its bound', 'return "x".repeat(2 ** 31)', { failure: 'RangeError' }],
  [
    'a big integer past its bound',
    'let b = 1n; for (;;) b = b * b + 1n << 1000n',
    { failure: 'RangeError' },
  ],
  [
    'arguments of megabytes',
    'return (await ctx.tools.echo({ a: "x".repeat(2e6) })).error.reason',
    { value: 'arguments_too_large' },
  ],
  [
    'many large arguments at once',
    'const all = []; for (let i = 0; i < 20; i++) all.push(ctx.tools.echo("x".repeat(9e5))); return (await Promise.all(all)).filter((r) => r.error?.reason === "too_much_in_flight").length',
    { value: 11 },
  ],
  ['a line of megabytes', 'console.log("x".repeat(5e6)); return 1', { value: 1 }],
  [
    'a line that cannot be shown',
    'console.log(Object.create(null), new Proxy({}, { get() { throw 1 } }), Symbol("s"), 1n); return 1',
    { value: 1 },
  ],

  // What a script replaces, it replaces for itself: what it came to is told all the same
  [
    'methods of strings are replaced before something is thrown',
    'for (const key of ["slice", "split", "includes"]) String.prototype[key] = () => { throw 1 }; throw new RangeError("kept")',
    { failure: 'RangeError' },
  ],
  [
    'a stack that cannot be read',
    'const e = new RangeError("m"); Object.defineProperty(e, "stack", { get() { throw 1 } }); throw e',
    { failure: 'RangeError' },
  ],
  [
    'a name that becomes no string',
    'throw { name: { [Symbol.toPrimitive]() { throw 2 } }, message: { toString() { return {} } } }',
    { failure: 'uncaught' },
  ],
  [
    'a revoked proxy is thrown',
    'const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); throw proxy',
    { failure: 'uncaught' },
  ],
  [
    'a proxy that has itself in it is returned',
    'return new Proxy({}, { ownKeys: () => ["a"], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }), get: (t, k, self) => k === "toJSON" || k === "then" ? undefined : self })',
    { failure: 'TypeError' },
  ],
  [
    'then on every object',
    'Object.prototype.then = function (ok) { ok(7) }; return { a: 1 }',
    { value: 7 },
  ],
  [
    'setters on every object for what our code keeps',
    'for (const key of ["resolve", "units"]) Object.defineProperty(Object.prototype, key, { set() { globalThis.stolen = 1 }, get: () => -1 }); const r = await ctx.tools.echo({ i: 1 }); return [r.structured.i, typeof stolen]',
    { value: [1, 'undefined'] },
  ],
  [
    'a name that looks like the list of calls',
    'return (await ctx.tool(\'"],["tool","fail",{}],["\\n\', { i: 1 })).name',
    { value: '"],["tool","fail",{}],["\n' },
  ],
  [
    'line ends and lone surrogates in arguments',
    'const { s } = (await ctx.tools.echo({ s: "\\n\\r\\u2028\\u0000\\ud800" })).structured; return [...s].map((c) => c.charCodeAt(0))',
    { value: [10, 13, 0x2028, 0, 0xd800] },
  ],
  [
    'an asynchronous generator is left in the middle',
    'async function* g() { try { for (;;) yield await ctx.tools.echo({}) } finally { globalThis.left = 1 } } await g().next(); return 1',
    { value: 1 },
  ],
  [
    'a call in the then of what is returned',
    'return { then(ok) { ctx.tools.echo({ a: 1 }).then((r) => ok(r.structured.a)) } }',
    { value: 1 },
  ],
  [
    'buffers that grow and move',
    'const b = new ArrayBuffer(8, { maxByteLength: 65536 }); b.resize(65536); const c = b.transferToFixedLength(70000); return [b.detached, new Uint8Array(c).every((x) => x === 0)]',
    { value: [true, true] },
  ],
];
