/** What an artifact URI says: which tool made the content and which content it is. */
export interface ArtifactIdentity {
  /** The tool's name with every character outside `A–Z a–z 0–9 _ -` written as `_`. */
  readonly tool: string;
  /** Bare hex of the SHA-256 of the content. */
  readonly sha256: string;
}

/** The URI under which the original output of a tool is kept: `a3s://tool-output/<tool>/<sha256>`. */
export function toArtifactUri(tool: string, sha256: string): string {
  return `a3s://tool-output/${toToolSegment(tool)}/${sha256}`;
}

/** The id of the same artifact in metadata: `tool-output:<tool>:<sha256>`. */
export function toArtifactId(tool: string, sha256: string): string {
  return `tool-output:${toToolSegment(tool)}:${sha256}`;
}

/** Reads an artifact URI; `undefined` for everything that is not exactly one. */
export function fromArtifactUri(uri: string): ArtifactIdentity | undefined {
  const match = /^a3s:\/\/tool-output\/([A-Za-z0-9_-]+)\/([0-9a-f]{64})$/.exec(uri);
  const tool = match?.[1];
  const sha256 = match?.[2];
  return tool === undefined || sha256 === undefined ? undefined : { tool, sha256 };
}

function toToolSegment(tool: string): string {
  const segment = tool.replaceAll(/[^A-Za-z0-9_-]/gu, '_');
  return segment === '' ? '_' : segment;
}
