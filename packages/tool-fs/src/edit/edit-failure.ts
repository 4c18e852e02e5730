import { ToolError } from '@toolwright/core';
import type { JsonObject } from '@toolwright/core';
import type { EditCandidate } from './closest-text.ts';
import type { EditFailure } from './plan-edits.ts';

/** What an answer about a failed edit needs to know. */
export interface EditFacts {
  /** The path as the caller wrote it. */
  readonly path: string;
  /** Whether there were several edits, so that the failing one is named. */
  readonly several: boolean;
  readonly metadata: JsonObject;
}

/** The typed error for edits that cannot be done, with the candidates in its output. */
export function toEditError(failure: EditFailure, facts: EditFacts): ToolError {
  const { path, several, metadata } = facts;
  const which = several ? `edits[${failure.index}]` : 'old_string';
  const common = {
    path,
    ...(several ? { edit_index: failure.index } : {}),
  };
  const shownPath = JSON.stringify(path);
  switch (failure.kind) {
    case 'no_match': {
      const { candidates } = failure;
      const hint =
        candidates.length === 0
          ? 'read the file again and copy the text from it'
          : 'compare it with the closest text and copy that';
      return new ToolError('not_found', `${which} does not stand in ${shownPath}; ${hint}.`, {
        reason: 'no_match',
        fields: { ...common, replacement_count: 0, candidates: toJson(candidates) },
        metadata: { ...metadata, replacement_count: 0 },
        output: renderCandidates('Closest text', candidates),
      });
    }
    case 'ambiguous': {
      const { count, candidates, tier } = failure;
      const how = tier === 'exact' ? '' : `, ${TOLERATED[tier]} aside,`;
      const lines = candidates.map((candidate) => candidate.line);
      const more = count > lines.length ? ', …' : '';
      return new ToolError(
        'invalid_argument',
        `${which} stands${how} ${count} times in ${shownPath}, at lines ${lines.join(', ')}${more}; add lines around the one that is meant${tier === 'exact' ? ', or set replace_all' : ''}.`,
        {
          reason: 'ambiguous',
          fields: { ...common, replacement_count: count, candidates: toJson(candidates) },
          metadata: { ...metadata, replacement_count: count },
          output: renderCandidates('Places', candidates),
        },
      );
    }
    case 'overlap':
      return new ToolError(
        'invalid_argument',
        failure.other === null
          ? `${which} matches text of ${shownPath} that an earlier edit changes; make one edit of the two.`
          : `${which} and edits[${failure.other}] match the same text of ${shownPath}; make one edit of the two.`,
        { reason: 'overlap', fields: common, metadata },
      );
    case 'no_change':
      return new ToolError(
        'invalid_argument',
        `${which} would change nothing in ${shownPath}: old and new text are the same there.`,
        { reason: 'no_change', fields: common, metadata },
      );
  }
}

const TOLERATED = {
  trailing_whitespace: 'white space at line ends',
  indentation: 'indentation',
  unicode: 'look-alike characters',
} as const;

function toJson(candidates: readonly EditCandidate[]): JsonObject[] {
  return candidates.map(({ line, text, diff }) => ({ line, text, diff }));
}

function renderCandidates(title: string, candidates: readonly EditCandidate[]): string {
  return candidates
    .map(({ line, text, diff }) => {
      const difference = diff === '' ? '' : `\n[-yours-] {+the file's+}:\n${diff}`;
      return `${title}, line ${line}:\n${text}${difference}\n`;
    })
    .join('\n');
}
