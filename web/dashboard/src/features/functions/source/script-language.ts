/** Highlighting of TypeScript, JavaScript and JSON: a tokenizer by lines, without a grammar. */
import { StreamLanguage, type StringStream } from '@codemirror/language'

interface State {
  /** For each open `${`, the braces that are open within it. */
  templates: number[]
  isInTemplate: boolean
  isInComment: boolean
  /** Whether a slash begins a regular expression: after an operator, not after a value. */
  isOperand: boolean
}

const words = (text: string) => new Set(text.split(' '))
const keywords = words(
  'abstract as async await break case catch class const continue debugger declare default delete do else enum export extends finally for from function get if implements import in infer instanceof interface is keyof let namespace new of override private protected public readonly return satisfies set static super switch this throw try type typeof using var void while with yield',
)
const typeNames = words('any bigint boolean never number object string symbol unknown')

/** The next token of a line, and what it is; null for what has no colour. */
function token(stream: StringStream, state: State): string | null {
  if (state.isInComment) return comment(stream, state)
  if (state.isInTemplate) return template(stream, state)
  if (stream.eatSpace()) return null
  if (stream.match('//')) {
    stream.skipToEnd()
    return 'comment'
  }
  if (stream.match('/*')) {
    state.isInComment = true
    return comment(stream, state)
  }
  if (stream.peek() === '/' && state.isOperand && stream.match(/^\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/)) {
    state.isOperand = false
    return 'string'
  }
  if (stream.match(/^(?:0[xX][\da-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|(?:\d[\d_]*\.?|\.\d)[\d_]*(?:[eE][+-]?\d+)?)n?/)) {
    state.isOperand = false
    return 'number'
  }
  if (stream.match(/^(?:"(?:[^"\\]|\\.)*(?:"|$)|'(?:[^'\\]|\\.)*(?:'|$))/)) {
    state.isOperand = false
    return 'string'
  }
  const word = stream.match(/^[\p{L}_$#][\p{L}\p{N}_$]*/u) as RegExpMatchArray | null
  if (word) return nameOf(word[0], state)
  return punctuation(stream, state)
}

function nameOf(word: string, state: State): string | null {
  const isKeyword = keywords.has(word)
  state.isOperand = isKeyword && word !== 'this' && word !== 'super'
  if (isKeyword) return 'keyword'
  if (word === 'true' || word === 'false') return 'bool'
  if (word === 'null' || word === 'undefined') return 'null'
  // Names of classes and types begin with a capital letter.
  return typeNames.has(word) || /^\p{Lu}/u.test(word) ? 'typeName' : null
}

function punctuation(stream: StringStream, state: State): string | null {
  const character = stream.next() ?? ''
  state.isOperand = !/[)\]}]/.test(character)
  const open = state.templates.length - 1
  if (character === '`') {
    state.isInTemplate = true
    return 'string'
  }
  if (open < 0) return null
  if (character === '{') state.templates[open] = (state.templates[open] ?? 0) + 1
  if (character === '}') {
    const braces = state.templates[open] ?? 0
    if (braces > 0) state.templates[open] = braces - 1
    else {
      state.templates.pop()
      state.isInTemplate = true
      return 'string'
    }
  }
  return null
}

function comment(stream: StringStream, state: State): string {
  if (stream.skipTo('*/')) {
    stream.match('*/')
    state.isInComment = false
  } else stream.skipToEnd()
  return 'comment'
}

function template(stream: StringStream, state: State): string {
  while (!stream.eol()) {
    const character = stream.next()
    if (character === '\\') stream.next()
    else if (character === '`') {
      state.isInTemplate = false
      state.isOperand = false
      break
    } else if (character === '$' && stream.eat('{')) {
      state.isInTemplate = false
      state.isOperand = true
      state.templates.push(0)
      break
    }
  }
  return 'string'
}

const parser = {
  startState: (): State => ({ templates: [], isInTemplate: false, isInComment: false, isOperand: true }),
  copyState: (state: State): State => ({ ...state, templates: [...state.templates] }),
  token,
  languageData: { commentTokens: { line: '//', block: { open: '/*', close: '*/' } } },
}

export const scriptLanguage = StreamLanguage.define<State>(parser)

/** Whether a file is highlighted. */
export const isScript = (path: string) => /\.(?:[cm]?[jt]sx?|jsonc?)$/.test(path)
