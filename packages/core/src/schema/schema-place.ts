import type { JsonObject } from '../json/json.ts';
import { appendPointer } from '../json/json-pointer.ts';

/** Sub-schemas that narrow the same value: closing an object there would forbid what its siblings list. */
const NARROWING = new Set([
  'allOf',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'dependencies',
]);

/** Where in a document a schema is being read. Its pointer is written only when a problem needs it. */
export class SchemaPlace {
  /** The document, or the innermost embedded schema with an `$id` of its own: what references are relative to. */
  readonly resource: JsonObject;
  /** Whether an object here may be closed. */
  readonly closable: boolean;
  /** Steps from the top, references included. */
  readonly depth: number;
  readonly #parent: SchemaPlace | string;
  /** The last step: a keyword, a name or a position; empty at the start. */
  readonly step: string | number;

  private constructor(
    parent: SchemaPlace | string,
    step: string | number,
    state: Pick<SchemaPlace, 'resource' | 'closable' | 'depth'>,
  ) {
    this.#parent = parent;
    this.step = step;
    this.resource = state.resource;
    this.closable = state.closable;
    this.depth = state.depth;
  }

  /** A place to start from: the top, or what a reference names. */
  static at(
    pointer: string,
    state: Pick<SchemaPlace, 'resource' | 'closable' | 'depth'>,
  ): SchemaPlace {
    return new SchemaPlace(pointer, '', state);
  }

  /** JSON pointer into the document. */
  get pointer(): string {
    if (typeof this.#parent === 'string') return this.#parent;
    return appendPointer(this.#parent.pointer, this.step);
  }

  /** The value of a keyword here. */
  keyword(name: string): SchemaPlace {
    const { resource, closable, depth } = this;
    return new SchemaPlace(this, name, {
      resource,
      closable: closable && !NARROWING.has(name),
      depth: depth + 1,
    });
  }

  /** An entry of a list or a map here. */
  entry(step: string | number): SchemaPlace {
    return new SchemaPlace(this, step, this);
  }

  /** The same place in another resource. */
  inResource(resource: JsonObject): SchemaPlace {
    return new SchemaPlace(this.#parent, this.step, {
      resource,
      closable: this.closable,
      depth: this.depth,
    });
  }
}
