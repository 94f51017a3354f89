/** Reads the type `Database` of generated TypeScript into a flat list: the path of each entry and its type. Order and layout have no influence. */
import ts from 'typescript'

/** Returns the entries of the type `Database` by their paths. */
export function entries(source) {
  const file = ts.createSourceFile('types.ts', source, ts.ScriptTarget.Latest, true)
  const database = file.statements.find((statement) => ts.isTypeAliasDeclaration(statement) && statement.name.text === 'Database')
  const found = {}
  add(plain(database.type, file), [], found)
  return found
}

function add(value, path, found) {
  const isObject = typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length > 0
  if (!isObject) found[path.join(' / ')] = JSON.stringify(value)
  else for (const [name, inner] of Object.entries(value)) add(inner, [...path, name], found)
}

/** Returns a type as a text, a list or an object. */
function plain(node, file) {
  const inner = (type) => plain(type, file)
  if (ts.isParenthesizedTypeNode(node)) return inner(node.type)
  if (ts.isMappedTypeNode(node)) return {}
  if (ts.isTypeLiteralNode(node)) return sorted(node.members.filter((member) => member.name).map((member) => [`${member.name.text}${member.questionToken ? '?' : ''}`, inner(member.type)]))
  if (ts.isUnionTypeNode(node)) return { union: node.types.map((type) => text(inner(type))).sort() }
  if (ts.isIntersectionTypeNode(node)) return { both: node.types.map((type) => text(inner(type))) }
  if (ts.isArrayTypeNode(node)) return { array: inner(node.elementType) }
  if (ts.isTupleTypeNode(node)) {
    const elements = node.elements.map(inner)
    // The order of foreign keys has no meaning, so they are sorted. The order of a foreign key's columns has a meaning.
    return elements.every((element) => typeof element === 'object') ? elements.map(text).sort() : elements
  }
  if (ts.isLiteralTypeNode(node)) return node.literal.text === undefined ? node.getText(file) : JSON.stringify(node.literal.text)
  if (ts.isIndexedAccessTypeNode(node)) return `${text(inner(node.objectType))}[${text(inner(node.indexType))}]`
  if (ts.isTypeReferenceNode(node)) return `${node.typeName.getText(file)}${node.typeArguments ? `<${node.typeArguments.map((type) => text(inner(type))).join(', ')}>` : ''}`
  return node.getText(file)
}

const text = (value) => (typeof value === 'string' ? value : JSON.stringify(value))
const sorted = (members) => Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)))
