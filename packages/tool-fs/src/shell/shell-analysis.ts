import type {
  Command,
  CommandNode,
  CompoundCommand,
  ParsedScript,
  PipelineNode,
  Redirection,
  Statement,
  SyntaxNode,
} from 'unbash';
import { unwrapCommand } from './command-wrappers.ts';
import {
  eitherDirectory,
  enterDirectory,
  pathsFrom,
  startDirectory,
  type DirectorySet,
} from './directory-set.ts';
import { evaluatesData, namesVariables, unsafeVariables } from './evaluated-data.ts';
import { isComplete, type ShellGrammar } from './parse-shell.ts';
import { redirectionEffect } from './redirection.ts';
import {
  changesEnvironment,
  hidesSubstitution,
  staticValue,
  toShellWord,
  type ShellWord,
} from './shell-words.ts';

/** What a script does, as far as its text tells. Paths are relative to the start, or absolute. */
export interface ShellAnalysis {
  /** Simple commands in canonical quoting, assignments before them included. */
  readonly commands: readonly string[];
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** `host:port` of redirections to the network. */
  readonly connections: readonly string[];
  /** Pieces of text whose effect cannot be told. */
  readonly unclear: readonly string[];
}

/** Commands of one script, at most; a longer one is unclear as a whole. */
const maxCommands = 256;

const maxDepth = 8;

const moves = new Set(['cd', 'pushd', 'popd', 'source', '.', 'eval']);

/** Analyses a Bash script. A text that is no complete script is unclear as a whole. */
export function analyseShell(grammar: ShellGrammar, source: string): ShellAnalysis {
  const script = grammar.parse(source);
  if (script === null) return unclearScript(source);
  const analysis = new Analysis(grammar, script, source);
  analysis.script(script, source);
  return analysis.commands.size > maxCommands ? unclearScript(source) : analysis.result();
}

function unclearScript(source: string): ShellAnalysis {
  return { commands: [], reads: [], writes: [], connections: [], unclear: [source] };
}

/** One pass over a script in the order of execution, with the directories it may be in. */
class Analysis {
  readonly commands = new Set<string>();
  readonly #reads = new Set<string>();
  readonly #writes = new Set<string>();
  readonly #connections = new Set<string>();
  readonly #unclear = new Set<string>();
  readonly #grammar: ShellGrammar;
  #unsafe: ReadonlySet<string> | null;
  #source: string;
  #directories: DirectorySet = startDirectory;
  /** Whether anything in it can change the directory. */
  #moves: boolean;
  #depth = 0;

  constructor(grammar: ShellGrammar, script: ParsedScript, source: string) {
    this.#grammar = grammar;
    this.#source = source;
    this.#unsafe = unsafeVariables(grammar, script);
    this.#moves = namesMove(grammar, script);
  }

  result(): ShellAnalysis {
    return {
      commands: [...this.commands],
      reads: [...this.#reads],
      writes: [...this.#writes],
      connections: [...this.#connections],
      unclear: [...this.#unclear],
    };
  }

  script(script: ParsedScript, source: string): void {
    if (!isComplete(script) || this.#depth >= maxDepth) {
      this.#unclear.add(source);
      return;
    }
    const outer = this.#source;
    // Positions inside an escaped backtick script refer to its own decoded text.
    this.#source = script.source ?? source;
    this.#depth += 1;
    this.#list(script.commands);
    this.#depth -= 1;
    this.#source = outer;
  }

  #list(statements: readonly Statement[]): void {
    for (const { command, background } of statements) {
      const before = this.#directories;
      if (command.type === 'AndOr') {
        // Each part may be the last that runs.
        let reached = before;
        for (const [i, part] of command.commands.entries()) {
          if (i > 0 && command.operators[i - 1] === '||') this.#directories = reached;
          this.#pipeline(part);
          reached = eitherDirectory(reached, this.#directories);
        }
        this.#directories = reached;
      } else {
        this.#pipeline(command);
        this.#directories = eitherDirectory(before, this.#directories);
      }
      if (background === true) this.#directories = before;
    }
  }

  #pipeline(node: PipelineNode): void {
    if (node.type !== 'Pipeline') {
      this.#command(node);
      return;
    }
    const before = this.#directories;
    for (const command of node.commands) {
      this.#directories = before;
      this.#command(command);
    }
    // Only a last command with `lastpipe` changes this shell, and a pipeline of one.
    this.#directories = node.commands.length === 1 ? this.#directories : before;
  }

  #command(node: CommandNode): void {
    switch (node.type) {
      case 'Command':
        this.#simple(node);
        return;
      case 'Redirected':
        this.#redirections(node.redirects);
        this.#command(node.command);
        return;
      case 'Function':
      case 'Coproc': {
        const { body } = node;
        if (body.type === 'CompoundList') this.#unclear.add(this.#text(node));
        else if (node.type === 'Coproc') this.#branch(() => this.#command(body));
        else this.#later(() => this.#command(body));
        return;
      }
      default:
        this.#compound(node);
    }
  }

  #compound(node: CompoundCommand): void {
    switch (node.type) {
      case 'BraceGroup':
        this.#list(node.body.commands);
        return;
      case 'Subshell': {
        // After `((` bash reads ahead for an arithmetic command, and then here-documents differently.
        if (this.#text(node).startsWith('((')) this.#unclear.add(this.#text(node));
        const before = this.#directories;
        this.#list(node.body.commands);
        this.#directories = before;
        return;
      }
      case 'If':
        this.#list(node.clause.commands);
        this.#branch(() => this.#list(node.then.commands));
        for (const { clause, then } of node.elif) {
          this.#branch(() => this.#list(clause.commands));
          this.#branch(() => this.#list(then.commands));
        }
        this.#branch(() => this.#list(node.else?.commands ?? []));
        return;
      case 'Case':
        this.#embedded(node.word);
        for (const { pattern, body } of node.items) {
          for (const word of pattern) this.#embedded(word);
          this.#branch(() => this.#list(body.commands));
        }
        return;
      case 'While':
        this.#loop(() => {
          this.#list(node.clause.commands);
          this.#list(node.body.commands);
        });
        return;
      case 'For':
      case 'Select':
        if (changesEnvironment(node.name.value)) this.#unclear.add(this.#text(node));
        for (const word of node.wordlist ?? []) this.#embedded(word);
        this.#loop(() => this.#list(node.body.commands));
        return;
      case 'ArithmeticFor':
        for (const part of [node.initialize, node.test, node.update]) {
          if (part !== undefined) this.#embedded(part);
        }
        this.#loop(() => this.#list(node.body.commands));
        return;
      case 'TestCommand':
        this.#embedded(node.expression);
        return;
      case 'ArithmeticCommand':
        if (node.expression !== undefined) this.#embedded(node.expression);
        return;
    }
  }

  /** What may or may not run. */
  #branch(run: () => void): void {
    const before = this.#directories;
    run();
    this.#directories = eitherDirectory(before, this.#directories);
  }

  /** What runs when something else calls it, wherever that is then. */
  #later(run: () => void): void {
    const before = this.#directories;
    if (this.#moves) this.#directories = null;
    this.#branch(run);
    this.#directories = eitherDirectory(before, this.#directories);
  }

  /** What may run again where it has left off: a change of directory inside makes any place possible. */
  #loop(run: () => void): void {
    const before = this.#directories;
    run();
    if (sameDirectories(before, this.#directories)) return;
    this.#directories = null;
    run();
    this.#directories = null;
  }

  #simple(node: Command): void {
    this.#redirections(node.redirects);
    const assignments: string[] = [];
    for (const part of node.prefix) {
      if (part.type !== 'Assignment') continue;
      this.#embedded(part);
      assignments.push(part.text);
      if (node.name === undefined && changesEnvironment(part.name)) this.#unclear.add(part.text);
    }
    for (const arg of node.args) this.#embedded(arg);
    if (node.name === undefined) return;
    this.#embedded(node.name);
    const words = [node.name, ...node.args].map((word) => toShellWord(word));
    const args = node.args.map((word) =>
      word.type === 'Assignment' ? '' : toShellWord(word).value,
    );
    if (namesVariables(words[0]?.value ?? '', args)) this.#unclear.add(this.#text(node));
    this.#run(words, assignments, this.#text(node));
  }

  #run(words: readonly ShellWord[], assignments: readonly string[], text: string): void {
    const unwrapped = unwrapCommand(words);
    switch (unwrapped.kind) {
      case 'command':
        this.commands.add([...assignments, ...words.map((word) => word.text)].join(' '));
        this.#changeDirectory(words);
        return;
      case 'inner':
        if (unwrapped.also) {
          this.commands.add([...assignments, ...words.map((word) => word.text)].join(' '));
        }
        this.#run(unwrapped.words, [...assignments, ...unwrapped.assignments], text);
        return;
      case 'script': {
        const script = this.#grammar.parse(unwrapped.source);
        // Its assignments reach every command of the script.
        if (script === null || assignments.length > 0) {
          this.#unclear.add(text);
          return;
        }
        const before = this.#directories;
        const unsafe = this.#unsafe;
        const nested = unsafeVariables(this.#grammar, script);
        this.#unsafe = nested === null || unsafe === null ? null : new Set([...unsafe, ...nested]);
        this.#moves ||= namesMove(this.#grammar, script);
        if (unwrapped.when === 'later') this.#later(() => this.script(script, unwrapped.source));
        else this.script(script, unwrapped.source);
        this.#unsafe = unsafe;
        if (unwrapped.when === 'apart') this.#directories = before;
        return;
      }
      case 'unclear':
        this.#unclear.add(text);
        this.#directories = null;
    }
  }

  #changeDirectory(words: readonly ShellWord[]): void {
    const name = words[0]?.value;
    if (name === 'cd') {
      const [path] = words.slice(1).filter(({ value }) => value !== '--');
      const known = path?.value !== undefined && path.value !== null && !path.value.startsWith('-');
      // CDPATH is not inherited, and setting it is unclear.
      this.#directories =
        known && words.length <= 3 ? enterDirectory(this.#directories, path.value ?? '') : null;
    } else if (name === 'pushd' || name === 'popd' || name === 'source' || name === '.') {
      this.#directories = null;
    }
  }

  #redirections(redirections: readonly Redirection[]): void {
    for (const redirection of redirections) {
      this.#grammar.forEachChild(redirection, (child) => this.#embedded(child));
      const effect = redirectionEffect(redirection);
      if (effect.kind === 'none') continue;
      if (effect.kind === 'connect') {
        this.#connections.add(effect.target);
        continue;
      }
      const paths = effect.path === null ? null : pathsFrom(this.#directories, effect.path);
      if (paths === null) this.#unclear.add(this.#text(redirection));
      for (const path of paths ?? []) {
        if (effect.kind !== 'write') this.#reads.add(path);
        if (effect.kind !== 'read') this.#writes.add(path);
      }
    }
  }

  /** Scripts inside words, and data that is evaluated. */
  #embedded(node: SyntaxNode): void {
    if (node.type === 'Script') {
      const before = this.#directories;
      this.script(node, this.#source);
      this.#directories = before;
      return;
    }
    if (evaluatesData(node, this.#unsafe) || hidesSubstitution(node))
      this.#unclear.add(this.#text(node));
    const doubtful =
      (node.type === 'CommandExpansion' || node.type === 'ProcessSubstitution') &&
      (node.script === undefined || node.text.startsWith('$(('));
    if (doubtful) this.#unclear.add(this.#text(node));
    this.#grammar.forEachChild(node, (child) => this.#embedded(child));
  }

  #text(node: SyntaxNode): string {
    return this.#source.slice(node.pos, node.end);
  }
}

/** Whether any word is the name of a command that can change the directory. */
function namesMove(grammar: ShellGrammar, script: ParsedScript): boolean {
  let found = false;
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Word') found ||= moves.has(staticValue(node) ?? '');
    grammar.forEachChild(node, visit);
  };
  visit(script);
  return found;
}

function sameDirectories(a: DirectorySet, b: DirectorySet): boolean {
  if (a === null || b === null) return a === b;
  return a.size === b.size && [...a].every((directory) => b.has(directory));
}
