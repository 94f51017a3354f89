/** Values of JSON for a field, as text: most have the wrong type, some are converted. */
export const VALUES = [
  '""',
  '" "',
  '"0"',
  '"00"',
  '"1 "',
  '"+1"',
  '"-0"',
  '"1e1"',
  '"0x10"',
  '"1.0"',
  '"1."',
  '".5"',
  '"true"',
  '"false"',
  '"null"',
  '"NaN"',
  '"Infinity"',
  'true',
  'false',
  'null',
  '0',
  '-0',
  '1',
  '1.0',
  '1e2',
  '1e21',
  '1.5',
  '-1',
  '[]',
  '[1]',
  '["x"]',
  '[null]',
  '["1"]',
  '[["x"]]',
  '["x","y"]',
  '{}',
  '{"a":1}',
  '"x"',
]

/** Returns the text of an object in which a field has a value that is given as text. `sortBy.order` is a field of an inner object. */
export function withField(object, path, value) {
  const copy = structuredClone(object)
  const [field, inner] = path.split('.')
  if (inner === undefined) copy[field] = '%value'
  else copy[field] = { ...copy[field], [inner]: '%value' }
  return JSON.stringify(copy).replace('"%value"', () => value)
}
