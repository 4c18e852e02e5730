import { getOwn, isRecord } from '../json/json.ts';
import { fromPointer } from '../json/json-pointer.ts';
import type { SchemaNode, SchemaKeywords } from '../schema/schema-node.ts';
import { isSchemaNode } from '../schema/schema-node.ts';
import { arrayChecks, unevaluatedItemsCheck } from './array-checks.ts';
import type { Check } from './check-run.ts';
import { combinedChecks } from './combined-checks.ts';
import { describeSchema } from './describe-schema.ts';
import { objectChecks, unevaluatedPropertiesCheck } from './object-checks.ts';
import { scalarChecks, typeCheck } from './scalar-checks.ts';

/**
 * Turns a JSON Schema (2020-12, normalised: `$ref` is `#` or a JSON pointer into the same document) into a tree of
 * closures. Takes microseconds, so that the first call of a tool does not wait for a compiler. Unknown keywords and
 * formats are ignored; what a dangling `$ref` names is always valid.
 */
export class CheckBuilder {
  readonly #root: SchemaNode;
  readonly #references = new Map<string, Check>();

  constructor(root: SchemaNode) {
    this.#root = root;
  }

  /** The check of a schema inside the document. */
  readonly build = (schema: SchemaNode): Check => {
    if (schema === true) return () => true;
    if (schema === false) {
      return (_value, run) => run.fail('false', () => 'no value is allowed here');
    }
    return this.#buildKeywords(schema);
  };

  /** The schema that a `$ref` names. */
  readonly resolve = (reference: string): SchemaNode | undefined => {
    const steps = fromPointer(decodeFragment(reference));
    let current: unknown = this.#root;
    for (const step of steps ?? []) {
      current = isRecord(current) ? getOwn(current, step) : undefined;
    }
    return steps !== undefined && isSchemaNode(current) ? current : undefined;
  };

  #buildKeywords(schema: SchemaKeywords): Check {
    const allowed = (): string => describeSchema(schema, this.resolve);
    const type = typeCheck(schema, allowed);
    const describe = (name: string): string =>
      describeSchema(schema.properties?.[name] ?? true, this.resolve);
    const checks = [
      ...scalarChecks(schema, allowed),
      ...objectChecks(schema, this.build, describe),
      ...arrayChecks(schema, this.build),
      ...(schema.$ref === undefined ? [] : [this.#reference(schema.$ref)]),
      ...combinedChecks(schema, this.build, (part) => describeSchema(part, this.resolve)),
    ];
    const check: Check = (value, run) => {
      run.step();
      if (type !== undefined && !type(value, run)) return false;
      let valid = true;
      for (const part of checks) {
        if (part(value, run)) continue;
        if (run.errors === undefined) return false;
        valid = false;
      }
      return valid;
    };
    return this.#withUnevaluated(schema, check);
  }

  #withUnevaluated(schema: SchemaKeywords, check: Check): Check {
    const { unevaluatedProperties, unevaluatedItems } = schema;
    const last: Check[] = [];
    if (unevaluatedProperties !== undefined) {
      last.push(unevaluatedPropertiesCheck(this.build(unevaluatedProperties)));
    }
    if (unevaluatedItems !== undefined) {
      last.push(unevaluatedItemsCheck(this.build(unevaluatedItems)));
    }
    if (last.length === 0) return check;
    return (value, run) => {
      const outer = run.evaluated;
      const own = { keys: new Set<string>(), items: new Set<number>() };
      run.evaluated = own;
      let valid = check(value, run);
      for (const part of last) valid = part(value, run) && valid;
      run.evaluated = outer;
      if (valid) run.note(own);
      return valid;
    };
  }

  /** Built on first use: schemas may refer to themselves. */
  #reference(reference: string): Check {
    return (value, run) => {
      let check = this.#references.get(reference);
      if (check === undefined) {
        check = this.build(this.resolve(reference) ?? true);
        this.#references.set(reference, check);
      }
      return check(value, run);
    };
  }
}

function decodeFragment(reference: string): string {
  if (!reference.startsWith('#')) return reference;
  try {
    return decodeURIComponent(reference.slice(1));
  } catch {
    return reference.slice(1);
  }
}
