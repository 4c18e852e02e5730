import type { JsonObject, JsonValue } from '../json/json.ts';
import { isJsonArray, isJsonObject } from '../json/json.ts';
import type { ReportProblem } from './normalize-schema.ts';

/** Keywords whose schemas look at the same value as the schema that holds them. */
const SAME_VALUE = ['not', 'if', 'then', 'else'];
const SAME_VALUE_LISTS = ['allOf', 'anyOf', 'oneOf'];

/** A reference, and the schema that holds it. */
interface Holder {
  readonly owner: Record<string, JsonValue>;
  readonly reference: string;
}

/**
 * Takes out references that lead back to their own schema without going to a property or an item: checking one would
 * never end. References of a normalised schema are `#` or `#/$defs/<name>`.
 */
export function breakSelfReferences(
  schema: Record<string, JsonValue>,
  report: ReportProblem,
): void {
  const done = new Set<string>();
  const open = new Set<string>();
  const visit = (name: string): void => {
    if (done.has(name)) return;
    open.add(name);
    for (const { owner, reference } of holders(target(schema, name))) {
      if (open.has(reference)) {
        report(name === '#' ? '/$ref' : `${name.slice(1)}/$ref`, 'leads back to itself');
        delete owner['$ref'];
      } else {
        visit(reference);
      }
    }
    open.delete(name);
    done.add(name);
  };
  visit('#');
  const { $defs: definitions } = schema;
  if (isJsonObject(definitions))
    Object.keys(definitions).forEach((name) => visit(`#/$defs/${name}`));
}

function target(schema: JsonObject, name: string): JsonValue | undefined {
  const { $defs: definitions } = schema;
  if (name === '#') return schema;
  return isJsonObject(definitions) ? definitions[name.replace('#/$defs/', '')] : undefined;
}

/** The references of a schema that look at its own value. */
function holders(node: JsonValue | undefined): readonly Holder[] {
  if (!isJsonObject(node)) return [];
  const { $ref: reference, dependentSchemas } = node;
  const inner = [
    ...SAME_VALUE.map((keyword) => node[keyword]),
    ...SAME_VALUE_LISTS.flatMap((keyword) => {
      const list = node[keyword];
      return isJsonArray(list) ? list : [];
    }),
    ...(isJsonObject(dependentSchemas) ? Object.values(dependentSchemas) : []),
  ];
  const own: readonly Holder[] = typeof reference === 'string' ? [{ owner: node, reference }] : [];
  return [...own, ...inner.flatMap(holders)];
}
