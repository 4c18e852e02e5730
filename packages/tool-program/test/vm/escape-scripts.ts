/** Name, body of the entry, and what it must come to. */
export type HostileScript = readonly [
  name: string,
  body: string,
  expected: { readonly value: unknown } | { readonly failure: string },
];

/** Scripts that try to get out of the VM, or to change what our own code does. The table only grows. */
export const escapeScripts: readonly HostileScript[] = [
  // Escape by constructors and globals
  [
    'constructor of a tool function',
    'return typeof ctx.tools.echo.constructor("return this")().process',
    { value: 'undefined' },
  ],
  [
    'constructor of ctx',
    'return ctx.constructor.constructor("return process")()',
    { failure: 'ReferenceError' },
  ],
  [
    'constructor of an error of ours',
    'try { await ctx.tool(1) } catch (e) { return typeof e.constructor.constructor("return globalThis.process")() }',
    { value: 'undefined' },
  ],
  [
    'constructor of a thrown tool error',
    'try { await ctx.tools.fail({}, { throwOnError: true }) } catch (e) { return typeof e.constructor.constructor("return globalThis.require")() }',
    { value: 'undefined' },
  ],
  [
    'constructor of an answer',
    'const r = await ctx.tools.echo({}); return typeof r.constructor.constructor("return globalThis.module")()',
    { value: 'undefined' },
  ],
  [
    'constructor of inputs',
    'return typeof inputs.constructor.constructor("return globalThis.global")()',
    { value: 'undefined' },
  ],
  [
    'constructor of the promise of a call',
    'return ctx.tools.echo({}).constructor === Promise',
    { value: true },
  ],
  [
    'async function constructor',
    'const F = (async () => {}).constructor; return await F("return typeof process")()',
    { value: 'undefined' },
  ],
  [
    'generator function constructor',
    'const F = (function* () {}).constructor; return F("yield typeof process")().next().value',
    { value: 'undefined' },
  ],
  [
    'indirect eval',
    'return (0, eval)("typeof process + typeof require + typeof Worker")',
    { value: 'undefinedundefinedundefined' },
  ],
  [
    'node globals',
    'return [typeof process, typeof require, typeof module, typeof Buffer, typeof global, typeof __dirname].join()',
    { value: 'undefined,undefined,undefined,undefined,undefined,undefined' },
  ],
  [
    'network globals',
    'return [typeof fetch, typeof WebSocket, typeof XMLHttpRequest, typeof EventSource, typeof Request].join()',
    { value: 'undefined,undefined,undefined,undefined,undefined' },
  ],
  [
    'thread globals',
    'return [typeof Worker, typeof Atomics, typeof setTimeout, typeof setInterval, typeof postMessage].join()',
    { value: 'undefined,undefined,undefined,undefined,undefined' },
  ],
  [
    'engine globals',
    'return [typeof std, typeof os, typeof bjson, typeof print, typeof scriptArgs, typeof gc].join()',
    { value: 'undefined,undefined,undefined,undefined,undefined,undefined' },
  ],
  ['WebAssembly', 'return typeof WebAssembly', { value: 'undefined' }],
  [
    'collected values',
    'return [typeof WeakRef, typeof FinalizationRegistry].join()',
    { value: 'undefined,undefined' },
  ],
  ['import.meta has nothing', 'return Object.keys(import.meta).length', { value: 0 }],
  ['dynamic import of a builtin', 'await import("node:fs")', { failure: 'import' }],
  [
    'dynamic import of our guest code',
    'await import("toolwright:program.mjs")',
    { failure: 'import' },
  ],
  [
    'dynamic import of our guest code by its relative name',
    'await import("./calls.mjs")',
    { failure: 'import' },
  ],
  [
    'dynamic import of a data URL',
    'await import("data:text/javascript,export default 1")',
    { failure: 'import' },
  ],
  [
    'dynamic import with a computed name',
    'await import(["node", "fs"].join(":"))',
    { failure: 'import' },
  ],
  ['dynamic import from eval', 'await eval("import(\'fs\')")', { failure: 'import' }],
  [
    'dynamic import from Function',
    'await new Function("return import(\'fs\')")()',
    { failure: 'import' },
  ],
  [
    'dynamic import whose name is hostile',
    'await import({ toString() { throw new Error("named") } })',
    { failure: 'uncaught' },
  ],
  [
    'caller of our functions',
    'let seen; ctx.log({ get a() { try { seen = String((function f() { return f.caller })()) } catch (e) { seen = e.name } return 1 } }); return seen',
    { value: 'TypeError' },
  ],
  [
    'arguments.callee',
    'return (function () { return typeof arguments.callee })()',
    { failure: 'TypeError' },
  ],
  [
    'stack shows no host paths',
    'return /node_modules|file:|\\.ts|worker/.test(new Error("x").stack)',
    { value: false },
  ],
  [
    'stack of a refused import shows no host paths',
    'try { await import("fs") } catch (e) { return e.stack }',
    { value: '' },
  ],
  [
    'stack of a tool error shows no host paths',
    'try { await ctx.tools.fail({}, { throwOnError: true }) } catch (e) { return /node_modules|file:/.test(e.stack) }',
    { value: false },
  ],
  [
    'prepareStackTrace',
    'Error.prepareStackTrace = (e, frames) => frames; return typeof new Error("x").stack',
    { value: 'object' },
  ],
  [
    'captureStackTrace on ctx',
    'try { Error.captureStackTrace(ctx) } catch {} return (await ctx.tools.echo({ a: 1 })).structured',
    { value: { a: 1 } },
  ],
  [
    'symbols of the registry',
    'return Object.getOwnPropertySymbols(globalThis).map(String).join()',
    { value: 'Symbol(Symbol.toStringTag)' },
  ],
  [
    'our bridge is on no global',
    'return Object.getOwnPropertyNames(globalThis).filter((n) => /host|bridge|deliver|toolwright/i.test(n)).join()',
    { value: '' },
  ],
  [
    'a clock that begins with the script',
    'const t = performance.now(); return [t >= 0 && t < 60000, performance.now() >= t, Math.abs(performance.timeOrigin + performance.now() - Date.now()) < 60000, Object.isFrozen(performance)]',
    { value: [true, true, true, true] },
  ],
  ['time zone of the host', 'return new Date(0).getTimezoneOffset()', { value: 0 }],

  // Prototypes
  [
    '__proto__ in arguments',
    'return (await ctx.tools.echo(JSON.parse(\'{"__proto__":{"polluted":1}}\'))).structured.polluted === undefined',
    { value: true },
  ],
  [
    'constructor.prototype in arguments',
    'await ctx.tools.echo({ constructor: { prototype: { polluted: 1 } } }); return ({}).polluted === undefined',
    { value: true },
  ],
  [
    'toJSON on Object.prototype',
    'Object.prototype.toJSON = () => ({ hacked: 1 }); await ctx.tools.echo({ a: 1 })',
    { failure: 'TypeError' },
  ],
  [
    'toJSON on Array.prototype',
    'Array.prototype.toJSON = () => [1]; await ctx.tools.echo([2])',
    { failure: 'TypeError' },
  ],
  [
    'toJSON on String.prototype changes nothing',
    'String.prototype.toJSON = () => "hacked"; return (await ctx.tools.echo({ a: "x" })).structured.a',
    { value: 'x' },
  ],
  [
    "toJSON on a value of one's own",
    'return (await ctx.tools.echo({ a: { toJSON: () => 7 } })).structured.a',
    { value: 7 },
  ],
  [
    'JSON.stringify replaced',
    'JSON.stringify = () => "{\\"hacked\\":1}"; return (await ctx.tools.echo({ a: 1 })).structured',
    { value: { a: 1 } },
  ],
  [
    'JSON.parse replaced',
    'JSON.parse = () => ({ hacked: 1 }); return (await ctx.tools.echo({ a: 1 })).structured',
    { value: { a: 1 } },
  ],
  [
    'JSON deleted',
    'delete globalThis.JSON; return (await ctx.tools.echo({ a: 1 })).structured',
    { value: { a: 1 } },
  ],
  [
    'Array.prototype.map replaced',
    'Array.prototype.map = () => { throw new Error("map") }; return (await ctx.tools.echo({ a: 1 })).structured',
    { value: { a: 1 } },
  ],
  [
    'Array iteration replaced',
    'Array.prototype[Symbol.iterator] = () => { throw new Error("it") }; return (await ctx.tools.echo({ a: 1 })).structured',
    { value: { a: 1 } },
  ],
  [
    'Promise replaced',
    'globalThis.Promise = class {}; return (await ctx.tools.echo({ a: 1 })).structured',
    { value: { a: 1 } },
  ],
  [
    'Object replaced',
    'globalThis.Object = null; return (await ctx.tools.echo({ a: 1 })).structured',
    { value: { a: 1 } },
  ],
  [
    'Function.prototype.call replaced',
    'Function.prototype.call = Function.prototype.apply = () => "hacked"; return (await ctx.tools.echo({ a: 1 })).structured',
    { value: { a: 1 } },
  ],
  [
    'Promise.prototype.then replaced',
    'Promise.prototype.then = () => {}; return (await ctx.tools.echo({ a: 1 })).structured',
    { value: { a: 1 } },
  ],
  [
    'thenable species',
    'class P extends Promise { static get [Symbol.species]() { return P } } return (await P.resolve(ctx.tools.echo({ a: 1 }))).structured',
    { value: { a: 1 } },
  ],
  [
    'a setter on Object.prototype sees no answer',
    'let seen = 0; Object.defineProperty(Object.prototype, "0", { set() { seen += 1 }, configurable: true }); await ctx.tools.echo({}); return seen',
    { value: 0 },
  ],
  ['ctx cannot be changed', 'ctx.tool = 1', { failure: 'TypeError' }],
  ['ctx.tools cannot be changed', 'ctx.tools.echo = 1', { failure: 'TypeError' }],
  ['ctx.catalog cannot be changed', 'ctx.catalog.search = 1', { failure: 'TypeError' }],
  ['console cannot be changed', 'console.log = 1', { failure: 'TypeError' }],
  ['ctx.tools is no promise', 'return (await ctx.tools) === ctx.tools', { value: true }],
  [
    'names of ctx.tools',
    'return Object.keys(ctx.tools).join() + ("echo" in ctx.tools) + ("x" in ctx.tools)',
    { value: 'echo,failtruefalse' },
  ],
  ['prototype of ctx.tools', 'return Object.getPrototypeOf(ctx.tools)', { value: null }],
  [
    'globals frozen by the script',
    'Object.freeze(globalThis); Object.freeze(Object.prototype); Object.freeze(Promise.prototype); return (await ctx.tools.echo({ a: 1 })).structured',
    { value: { a: 1 } },
  ],
];
