// Checks archives against the schema of HAR 1.2 in the npm package har-schema.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';

import Ajv from 'ajv';
import harSchemas from 'har-schema';

/** Throws the faults of an archive. */
export function assertHar(text) {
  const ajv = new Ajv({ schemaId: 'auto', validateSchema: false });
  ajv.addMetaSchema(createRequire(import.meta.url)('ajv/lib/refs/json-schema-draft-06.json'));
  ajv.addSchema(Object.values(harSchemas));
  const validate = ajv.getSchema('har.json#') ?? ajv.getSchema('har.json');
  assert.ok(validate(JSON.parse(text)), JSON.stringify(validate.errors));
  assert.ok(!validate({ log: {} }), 'the schema refuses what is no HAR');
}
