import type {
  ArrayExpression,
  BinaryExpression,
  CallExpression,
  Function as FunctionNode,
  LogicalExpression,
  NewExpression,
  ObjectExpression,
  Statement,
  SwitchCase,
  VisitorObject,
} from 'oxc-parser'
import type { Edit } from './mutation.ts'

interface Span {
  readonly start: number
  readonly end: number
}

export interface Operators {
  readonly visitor: VisitorObject
  /** What was found, by operator. */
  readonly edits: readonly (Edit & { readonly operator: string })[]
  /** Parts that say nothing at run time, or only to people. */
  readonly left: readonly Span[]
}

const opposites: Readonly<Record<string, readonly [operator: string, other: string]>> = {
  '===': ['equality', '!=='],
  '!==': ['equality', '==='],
  '==': ['equality', '!='],
  '!=': ['equality', '=='],
  '<': ['boundary', '<='],
  '<=': ['boundary', '<'],
  '>': ['boundary', '>='],
  '>=': ['boundary', '>'],
  '+': ['arithmetic', '-'],
  '-': ['arithmetic', '+'],
  '*': ['arithmetic', '/'],
  '/': ['arithmetic', '*'],
  '&&': ['and-or', '||'],
  '||': ['and-or', '&&'],
  '+=': ['arithmetic', '-='],
  '-=': ['arithmetic', '+='],
  '??=': ['nullish-assign', '='],
}
/** Values that, as conditions, are what nothing at all is; `boolean` makes another of them. */
const sayNothing = /^(undefined|false)$/
const swappable = new Set(['-', '/', '<', '<=', '>', '>='])

/** What is changed, one small thing at a time, in the source of a file. Texts with a space are for people, and stay. */
export function operatorsFor(source: string): Operators {
  const edits: (Edit & { operator: string })[] = []
  const left: Span[] = []
  const statements = new Set<number>()
  const textOf = ({ start, end }: Span): string => source.slice(start, end)
  const add = (operator: string, { start, end }: Span, replacement: string): void => {
    if (source.slice(start, end) !== replacement) edits.push({ operator, start, end, replacement })
  }
  /** The sign between two operands. */
  const addSign = (sign: string, from: number, to: number): void => {
    const [operator, other] = opposites[sign] ?? []
    const at = source.indexOf(sign, from)
    if (operator !== undefined && other !== undefined && at !== -1 && at < to)
      add(operator, { start: at, end: at + sign.length }, other)
  }
  const leave = (span: Span): void => void left.push(span)
  const tools: Tools = { source, add, addSign, leave, textOf, statements }
  const visitor = { ...conditions(tools), ...jumps(tools), ...values(tools), ...literals(tools), ...types(tools) }
  return { visitor, edits, left }
}

interface Tools {
  readonly source: string
  readonly add: (operator: string, span: Span, replacement: string) => void
  readonly addSign: (sign: string, from: number, to: number) => void
  readonly leave: (span: Span) => void
  readonly textOf: (span: Span) => string
  /** Where expressions begin whose value nobody takes. */
  readonly statements: Set<number>
}

function conditions({ add, addSign, leave, textOf }: Tools): VisitorObject {
  return {
    IfStatement({ test }) {
      if (test.type !== 'UnaryExpression') add('negate-condition', test, `!(${textOf(test)})`)
    },
    ConditionalExpression({ test, consequent, alternate, start, end }) {
      add('swap-arms', { start, end }, `${textOf(test)} ? ${textOf(alternate)} : ${textOf(consequent)}`)
    },
    UnaryExpression(node) {
      if (node.operator === '!') add('drop-not', node, `(${textOf(node.argument)})`)
    },
    LogicalExpression(node: LogicalExpression) {
      addSign(node.operator, node.left.end, node.right.start)
      if (node.operator !== '??') return
      add('nullish-left', node, `(${textOf(node.left)})`)
      add('nullish-right', node, `(${textOf(node.right)})`)
    },
    BinaryExpression(node: BinaryExpression) {
      // To `==` both are the same.
      if (/^[!=]=$/.test(node.operator) && textOf(node.right) === 'null') leave(node.right)
      addSign(node.operator, node.left.end, node.right.start)
      if (swappable.has(node.operator))
        add('swap-operands', node, `${textOf(node.right)} ${node.operator} ${textOf(node.left)}`)
    },
    AssignmentExpression: (node) => addSign(node.operator, node.left.end, node.right.start),
    UpdateExpression(node) {
      add('arithmetic', node, textOf(node).replace(node.operator, node.operator === '++' ? '--' : '++'))
    },
  }
}

function jumps({ add, leave, textOf, statements }: Tools): VisitorObject {
  const onFunction = ({ body }: Pick<FunctionNode, 'body'>): void => {
    const first = body?.body[0]
    if (first !== undefined && first.type !== 'ReturnStatement')
      add('return-at-once', { start: first.start, end: first.start }, 'return; ')
    const last = body?.body.at(-1)
    if (last?.type === 'SwitchStatement') onCases(last.cases, isBareReturn)
  }
  /** Cases that only leave, and what leaves the last of them, do what falling out of the switch does. */
  const onCases = (cases: readonly SwitchCase[], leaves: (statement: Statement) => boolean): void => {
    const last = cases.findLast(({ consequent }) => consequent.length > 0)?.consequent.at(-1)
    if (last !== undefined && leaves(last)) leave(last)
    const others = cases.find(({ test }) => test === null)
    let isIdle = others === undefined
    for (const { test, consequent } of cases.toReversed()) {
      if (consequent.length > 0) isIdle = others === undefined && consequent.length === 1 && consequent.every(leaves)
      // Names that share what is done with all others are for the compiler.
      if (test === null) isIdle = true
      else if (isIdle) leave(test)
    }
  }
  return {
    ExpressionStatement(node) {
      const { expression } = node
      // `value satisfies never` is for the compiler.
      if (expression.type === 'TSSatisfiesExpression') return leave(node)
      statements.add(expression.start)
      add('drop-statement', node, ';')
    },
    ReturnStatement(node) {
      if (node.argument === null) add('drop-jump', node, ';')
      else if (textOf(node.argument).endsWith(' satisfies never')) leave(node)
      else if (!sayNothing.test(textOf(node.argument))) add('return-undefined', node.argument, 'undefined')
    },
    SwitchStatement: ({ cases }) => onCases(cases, isBareBreak),
    ContinueStatement: (node) => add('drop-jump', node, ';'),
    BreakStatement: (node) => add('drop-jump', node, ';'),
    ThrowStatement: (node) => add('drop-throw', node, ';'),
    AwaitExpression(node) {
      add('drop-await', node, textOf(node.argument))
    },
    FunctionDeclaration: onFunction,
    FunctionExpression: onFunction,
    ArrowFunctionExpression({ body }) {
      if (body.type === 'BlockStatement') onFunction({ body })
      else if (!sayNothing.test(textOf(body))) add('return-undefined', body, 'undefined')
    },
  }
}

function isBareReturn(statement: Statement): boolean {
  return statement.type === 'ReturnStatement' && statement.argument === null
}

/** With a label it leaves more than the switch. */
function isBareBreak(statement: Statement): boolean {
  return statement.type === 'BreakStatement' && statement.label === null
}

function values(tools: Tools): VisitorObject {
  const { add, textOf, statements, source } = tools
  const onArguments = ({
    callee,
    arguments: given,
  }: Pick<CallExpression | NewExpression, 'callee' | 'arguments'>): void => {
    const [first, second] = given
    const last = given.at(-1)
    const before = given.at(-2)
    // Without an argument `join` takes a comma.
    const isDefault = last !== undefined && textOf(last) === "','" && textOf(callee).endsWith('.join')
    if (last !== undefined && !isDefault && !sayNothing.test(textOf(last)))
      add('drop-argument', { start: before?.end ?? last.start, end: last.end }, '')
    // The order of these says nothing.
    if (first === undefined || second === undefined || /^Math\.(min|max|imul)$/.test(textOf(callee))) return
    const between = source.slice(first.end, second.start)
    add('swap-arguments', { start: first.start, end: second.end }, textOf(second) + between + textOf(first))
  }
  return {
    ObjectExpression: (node) => onObject(node, tools),
    ArrayExpression(node: ArrayExpression) {
      if (node.elements.length === 0) return
      add('array-empty', node, '[]')
      if (node.elements.length === 1) return
      for (const element of node.elements) if (element?.type === 'SpreadElement') add('drop-spread', element, '...[]')
    },
    CallExpression(node) {
      onArguments(node)
      const { callee } = node
      if (callee.type !== 'MemberExpression' || statements.has(node.start)) return
      // `Object.keys(value)` takes its value as an argument.
      if (!/^[A-Z]\w*$/.test(textOf(callee.object))) return add('drop-chain-call', node, textOf(callee.object))
      const [first] = node.arguments
      if (first !== undefined && first.type !== 'SpreadElement') add('drop-chain-call', node, `(${textOf(first)})`)
    },
    NewExpression: onArguments,
  }
}

function onObject({ properties, ...node }: ObjectExpression, { add, leave, textOf }: Tools): void {
  if (properties.length > 0) add('object-empty', node, '{}')
  const spread = properties.findIndex(({ type }) => type === 'SpreadElement')
  for (const [index, property] of properties.entries()) {
    // With the comma after it, or before the last one.
    const [before, after] = [properties[index - 1], properties[index + 1]]
    if (after !== undefined) add('drop-property', { start: property.start, end: after.start }, '')
    else if (before !== undefined) add('drop-property', { start: before.end, end: property.end }, '')
    if (property.type === 'SpreadElement' || property.computed) continue
    // Where it hides nothing, what is undefined under another name is what is not there.
    const hides = spread !== -1 && spread < index
    if (!hides && textOf(property.value) === 'undefined') continue
    const { key, shorthand, method, kind } = property
    if (property.value.type !== 'Identifier' || !shorthand) leave(key)
    const renamed = key.type === 'Identifier' ? `${textOf(key)}_` : undefined
    if (renamed === undefined || method || kind !== 'init') continue
    if (shorthand) add('rename-key', property, `${renamed}: ${textOf(key)}`)
    else add('rename-key', { start: key.start, end: key.end }, renamed)
  }
}

function literals({ add, textOf }: Tools): VisitorObject {
  return {
    Literal(node) {
      const { value } = node
      if (typeof value === 'boolean') add('boolean', node, String(!value))
      else if (typeof value === 'number') add('number-plus-one', node, `${textOf(node)} + 1`)
      else if ('regex' in node) add('regex-never', node, '/(?!)/')
      else if (value === null) add('null-undefined', node, 'undefined')
      if (typeof value !== 'string' || /\s/.test(value)) return
      add('string-empty', node, `''`)
      add('string-other', node, JSON.stringify(`${value}~`))
    },
    TemplateLiteral(node) {
      if (node.quasis.every(({ value }) => !/ /.test(value.raw))) add('string-empty', node, `''`)
    },
  }
}

function types({ leave }: Tools): VisitorObject {
  return {
    ImportDeclaration: leave,
    ExportAllDeclaration: leave,
    TSTypeAnnotation: leave,
    TSTypeParameterInstantiation: leave,
    TSInterfaceDeclaration: leave,
    TSTypeAliasDeclaration: leave,
    TSAsExpression: ({ typeAnnotation }) => leave(typeAnnotation),
    TSSatisfiesExpression: ({ typeAnnotation }) => leave(typeAnnotation),
    ExportNamedDeclaration({ source }) {
      if (source !== null) leave(source)
    },
  }
}
