import { describe, expect, it } from 'vitest';
import { loadShellGrammar } from '../../src/shell/parse-shell.ts';
import { analyseShell, type ShellAnalysis } from '../../src/shell/shell-analysis.ts';

const grammar = await loadShellGrammar();

const nothing: ShellAnalysis = {
  commands: [],
  reads: [],
  writes: [],
  connections: [],
  unclear: [],
};

function analyse(source: string): ShellAnalysis {
  return analyseShell(grammar, source);
}

describe('simple commands', () => {
  it.each<[string, string[]]>([
    ['git status --short', ['git status --short']],
    ['git status && git push', ['git status', 'git push']],
    ['a; b\nc & d | e |& f || ! g', ['a', 'b', 'c', 'd', 'e', 'f', 'g']],
    [`'git' "sta"tus \\-s`, ['git status -s']],
    ["git commit -m \"a b\" --author='x'\\''y'", [`git commit -m 'a b' '--author=x'\\''y'`]],
    ['A=1 B="$X" npm test', ['A=1 B="$X" npm test']],
    ['rm -rf "$DIR" *.log ~/x {a,b}', ['rm -rf "$DIR" *.log ~/x {a,b}']],
    ['echo "$(rm x)" `rm y`', ['rm x', 'rm y', 'echo "$(rm x)" `rm y`']],
    ['echo "a `echo \\`rm z\\``"', ['rm z', 'echo `rm z`', 'echo "a `echo \\`rm z\\``"']],
    ['diff <(sort a) <(sort b)', ['sort a', 'sort b', 'diff <(sort a) <(sort b)']],
    ['cat <<EOF\n$(rm x)\nEOF', ['rm x', 'cat']],
    ["cat <<'EOF'\n$(rm x)\nEOF", ['cat']],
    ['cat <<< "$(rm x)"', ['rm x', 'cat']],
    ['if a; then b; elif c; then d; else e; fi', ['a', 'b', 'c', 'd', 'e']],
    ['for f in $(ls); do rm "$f"; done', ['ls', 'rm "$f"']],
    ['while read -r l; do a "$l"; done < f', ['read -r l', 'a "$l"']],
    ['case "$(a)" in x) b;; *) c;; esac', ['a', 'b', 'c']],
    ['(cd x; a); { b; }', ['cd x', 'a', 'b']],
    ['f() { a; }; f', ['a', 'f']],
    ['coproc a', ['a']],
    ['time -p a', ['a']],
    ['[[ -n $(a) ]] && b', ['a', 'b']],
    ['x=$(a) && y=${z:-$(b)}', ['a', 'b']],
    ['(( i = 1 + 2 ))', []],
    ['# only a comment', []],
    ['', []],
  ])('%s', (source, commands) => {
    expect(analyse(source)).toMatchObject({ commands, unclear: [] });
  });
});

describe('commands that run others', () => {
  it.each<[string, string[]]>([
    ['timeout -k 5 -s KILL 60 npm test', ['npm test']],
    ['nice -n 5 nohup setsid stdbuf -oL a b', ['a b']],
    ['env -i A=1 B=2 a b', ['A=1 B=2 a b']],
    ['env', ['env']],
    ['command -v git', ['command -v git']],
    ['command rm x', ['rm x']],
    ['exec -a name a', ['a']],
    ['sudo -u root rm x', ['sudo -u root rm x', 'rm x']],
    ['bash -c "a; b" name', ['a', 'b']],
    ['sh -ec "sh -c \'rm x\'"', ['rm x']],
    ['bash -eu -o pipefail script.sh', ['bash -eu -o pipefail script.sh']],
    ['eval a "b c"', ['a b c']],
    ["trap 'rm -f tmp' EXIT; a", ['rm -f tmp', 'a']],
    ['trap - EXIT', ['trap - EXIT']],
    ['ls | xargs -0 -n1 rm -f', ['ls', 'rm -f {}']],
    ['find . -name x -exec rm {} +', ["find . -name x -exec rm '{}' +", "rm '{}'"]],
    ['find . -name x', ['find . -name x']],
  ])('%s', (source, commands) => {
    expect(analyse(source)).toMatchObject({ commands, unclear: [] });
  });
});

describe('redirections', () => {
  it.each<[string, Partial<ShellAnalysis>]>([
    ['a > out.txt 2>> "err log"', { writes: ['out.txt', 'err log'] }],
    [
      'a &> both; b &>> more; c >| forced; d <> updated',
      { writes: ['both', 'more', 'forced', 'updated'], reads: ['updated'] },
    ],
    ['a >& both', { writes: ['both'] }],
    ['a 2>&1 >&- 3<&0 < in > /dev/null', { reads: ['in'] }],
    ['> truncated', { commands: [], writes: ['truncated'] }],
    ['{ a; b; } > out', { writes: ['out'] }],
    ['while a; do b; done < in > out', { writes: ['out'], reads: ['in'] }],
    ['a > >(tee log)', { commands: ['tee log', 'a'] }],
    ['a > ./x/../.env', { writes: ['x/../.env'] }],
    ['a > /tmp/x', { writes: ['/tmp/x'] }],
    ['cd sub && a > f', { writes: ['sub/f'] }],
    ['cd sub; a > f', { writes: ['f', 'sub/f'] }],
    ['(cd sub && a > f); b > g', { writes: ['sub/f', 'g'] }],
    ['cd sub || exit 1\na > f', { writes: ['f', 'sub/f'] }],
    ['exec 3<>/dev/tcp/10.0.0.1/80', { commands: ['exec'], connections: ['10.0.0.1:80'] }],
    ['f() { a > f; }; f', { writes: ['f'] }],
  ])('%s', (source, expected) => {
    const analysis = analyse(source);
    expect(analysis).toMatchObject(expected);
    expect({ ...nothing, ...expected, commands: analysis.commands }).toEqual(analysis);
  });
});

describe('what cannot be told', () => {
  it.each([
    'if true; then',
    'echo $(',
    'echo "unfinished',
    ')',
    '$CMD x',
    '"$(which rm)" x',
    '`echo rm` x',
    '{rm,-rf,x}',
    '~/bin/x $(a) && ~/bin/x',
    'r* x',
    'a > "$OUT"',
    'a > *.txt',
    'cd "$DIR" && a > f',
    'for d in a b; do cd $d; echo x > f; done',
    'pushd x; a > f',
    'source env.sh; a > f',
    'eval "$X"',
    'eval $(ssh-agent)',
    'bash -c "$X"',
    'A=1 bash -c "a"',
    'trap "$X" EXIT',
    'env -S "rm x"',
    'env -C / rm x',
    'timeout --unknown 5 a',
    'alias git=rm',
    'hash -p ./evil git',
    'enable -f ./evil.so x',
    'PATH=./bin; git status',
    'PATH=./bin',
    'for PATH in ./bin; do git status; done',
    'read PATH <<< ./bin; git status',
    'printf -v PATH ./bin; git status',
    `PS4='$(rm x)'; set -x; true`,
    `x='$(rm x)'; echo "\${x@P}"`,
    `x='a[$(rm x)]'; echo $((x))`,
    `x='a[$(rm x)]'; ((x))`,
    `x='a[$(rm x)]'; [[ $x -eq 1 ]]`,
    `x='a[$(rm x)]'; for ((i=x;;)); do a; done`,
    `x='a[$(rm x)]'; echo \${y:x}`,
    `x='a[$(rm x)]'; echo \${!x}`,
    `x='a[$(rm x)]'; y[x]=1`,
    `x=$(cat f); echo $((x))`,
    `[ -v 'a[$(rm x)]' ]`,
    `[[ -v a[$x] ]]`,
    `printf -v 'a[$(rm x)]' 1`,
    `read 'a[$(rm x)]'`,
    `unset 'a[$(rm x)]'`,
    `declare -i x='a[$(rm x)]'`,
    `let 'a[$(rm x)]'`,
    'mapfile -C rm < f',
    'f() { cd x; }; f; a > out',
    'f() { a > f; }; cd x; f',
    "trap 'a > f' EXIT; cd x",
    'echo 1<(rm x)',
    `: ${'x'.repeat(70_000)}`,
    Array.from({ length: 300 }, (_, i) => `c${i}`).join(';'),
  ])('%s', (source) => {
    expect(analyse(source).unclear).not.toEqual([]);
  });

  it('leaves counting and testing alone', () => {
    const source = `i=0
while [ "$i" -lt 10 ]; do i=$((i + 1)); done
for n in 1 2 3; do echo $((n * 2)); done
for n in {1..5}; do [[ $n -gt 2 ]] && echo "$n"; done
x=$(date); echo "$x" \${x:0:4} \${#x} \${x%-*} \${x:-none}
FILES="a b"; rm $FILES`;
    expect(analyse(source).unclear).toEqual([]);
  });
});
