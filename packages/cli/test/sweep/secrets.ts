// Twenty secrets of every kind, and the ways in which each may stand in a text.

const random = (seed: number, length: number): string => {
  const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz23456789';
  let state = seed * 2_654_435_761;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return alphabet[(state >>> 8) % alphabet.length];
  }).join('');
};

/** What a host registers. */
export const secrets: readonly string[] = [
  `ghp_${random(1, 36)}`,
  `sk-${random(2, 48)}`,
  `AKIA${random(3, 16).toUpperCase()}`,
  `${random(4, 20)}/${random(4, 10)}+${random(5, 8)}==`,
  `p@ss "quoted" ${random(6, 12)}`,
  `back\\slash\\${random(7, 12)}`,
  `tab\tand ${random(8, 12)}`,
  `Größe-ключ-鍵-${random(9, 8)}`,
  `emoji-🔑-${random(10, 10)}`,
  `percent%20%2F${random(11, 10)}`,
  `a=b&c=d&${random(12, 10)}`,
  `<b>${random(13, 12)}</b>`,
  `$(${random(14, 12)})`,
  `  ${random(15, 14)}  `,
  '918273645546372819001',
  random(16, 200),
  `-----BEGIN KEY-----\n${random(17, 64)}\n${random(18, 64)}\n-----END KEY-----`,
  `https://user:${random(19, 16)}@host.example/path`,
  `{"token":"${random(20, 20)}"}`,
  random(21, 6),
];

const base64 = (text: string, before: string): string =>
  Buffer.from(before + text).toString('base64');

/** The characters of a base64 text that the secret alone decides, whatever stands before and after it. */
function base64Cores(text: string): readonly string[] {
  return ['', 'x', 'xy'].map((before) => {
    const bytes = Buffer.byteLength(before + text);
    return base64(text, before).slice(
      Math.ceil((before.length * 8) / 6),
      Math.floor((bytes * 8) / 6),
    );
  });
}

/** Lines of a secret that are one by themselves: long ones that do not only frame a key. */
function linesOf(secret: string): readonly string[] {
  const lines = secret.split('\n').map((line) => line.trim());
  return lines.filter((line) => line.length >= 16 && !line.startsWith('-----'));
}

/** Spellings of a secret: as it is, in JSON once and twice, percent-encoded, in base64 and base64url. */
export function spellingsOf(secret: string): readonly string[] {
  const texts = new Set([secret, secret.trim(), ...(secret.includes('\n') ? linesOf(secret) : [])]);
  const spellings = new Set<string>();
  for (const text of texts) {
    const json = JSON.stringify(text).slice(1, -1);
    const cores = base64Cores(text);
    for (const spelling of [
      text,
      json,
      JSON.stringify(json).slice(1, -1),
      encodeURIComponent(text),
      new URLSearchParams({ '': text }).toString().slice(1),
      ...cores,
      ...cores.map((core) => core.replaceAll('+', '-').replaceAll('/', '_')),
    ]) {
      if (spelling.length >= 6) spellings.add(spelling);
    }
  }
  return [...spellings];
}

/** Every secret in every spelling, each on a line of its own with words around it. */
export const corpus: string = secrets
  .flatMap((secret) => [
    ...spellingsOf(secret).map((spelling) => `value: ${spelling} end`),
    `basic ${base64(secret, 'user:')} end`,
    `url https://host.example/?q=${encodeURIComponent(secret)}&r=1 end`,
    JSON.stringify({ nested: { key: secret, [secret]: 1 } }),
  ])
  .join('\n');

const sought = secrets.flatMap((secret, index) =>
  spellingsOf(secret).map((spelling) => ({ index, spelling })),
);

/** What of the secrets stands in a text. */
export function leaksIn(text: string): readonly string[] {
  return sought
    .filter(({ spelling }) => text.includes(spelling))
    .map(({ index, spelling }) => `secret ${index} as ${JSON.stringify(spelling)}`);
}
