/** Keywords whose value is one schema. */
export const schemaKeywords = [
  'items',
  'additionalProperties',
  'contains',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
  'unevaluatedProperties',
  'unevaluatedItems',
] as const;

/** Keywords whose value is a list of schemas. */
export const schemaListKeywords = ['allOf', 'anyOf', 'oneOf', 'prefixItems'] as const;

/** Keywords whose value maps names to schemas; `$defs` is not among them, since it applies to nothing by itself. */
export const schemaMapKeywords = ['properties', 'patternProperties', 'dependentSchemas'] as const;
