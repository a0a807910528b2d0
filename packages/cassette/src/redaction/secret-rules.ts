import { redacted } from '../rules/stored-headers.ts'

/** What gives a secret away in a text. */
export interface SecretRule {
  readonly id: string
  readonly finds: (text: string) => boolean
}

// Behind a letter, digit or one of the signs of URL-safe base64 a prefix is part of something longer (`task-...`, a signature), not a
// key. The signs of plain base64 may stand before a key: `KEY=...`, a path, a query.
const fresh = '(?<![A-Za-z0-9_-])'

/** Keys that say by their first letters whose they are. The rest must hold a digit, or prose with hyphens would count. */
const keyShapes: Readonly<Record<string, string>> = {
  'anthropic-key': 'sk-ant-[A-Za-z0-9_-]{16,}',
  'openai-key': 'sk-[A-Za-z0-9_-]{20,}',
  'google-key': 'AIza[A-Za-z0-9_-]{30,}',
  'google-oauth': 'ya29\\.[A-Za-z0-9_-]{20,}',
  'groq-key': 'gsk_[A-Za-z0-9]{20,}',
  'xai-key': 'xai-[A-Za-z0-9]{20,}',
  'huggingface-key': 'hf_[A-Za-z0-9]{20,}',
  'perplexity-key': 'pplx-[A-Za-z0-9]{20,}',
  'cerebras-key': 'csk-[A-Za-z0-9]{20,}',
  'replicate-key': 'r8_[A-Za-z0-9]{20,}',
  'nvidia-key': 'nvapi-[A-Za-z0-9_-]{20,}',
  'fireworks-key': 'fw_[A-Za-z0-9]{20,}',
  'together-key': 'tgp_v1_[A-Za-z0-9_-]{20,}',
  'tavily-key': 'tvly-[A-Za-z0-9-]{20,}',
  'github-token': '(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})',
  'gitlab-token': 'glpat-[A-Za-z0-9_-]{20,}',
  'aws-key-id': '(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])',
  'slack-token': '(?:xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,})',
  'npm-token': 'npm_[A-Za-z0-9]{36}',
  'pypi-token': 'pypi-[A-Za-z0-9_-]{40,}',
  'stripe-key': '[rs]k_(?:live|test)_[A-Za-z0-9]{16,}',
  'sendgrid-key': 'SG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}',
  'docker-token': 'dckr_pat_[A-Za-z0-9_-]{20,}',
  'digitalocean-token': 'do[opr]_v1_[a-f0-9]{40,}',
  'organisation-id': '(?:org|proj|user)[-_][A-Za-z0-9]{20,}',
}

const hasDigit = (text: string): boolean => /\d/.test(text)
const hasLetter = (text: string): boolean => /[A-Za-z]/.test(text)
const isPlaceholder = (text: string): boolean =>
  text.includes(redacted) || /^(?:[*x.]+|[<{$%[].*|your[-_ ].*|redacted.*|placeholder.*|example.*)$/i.test(text)

/**
 * A rule for the matches of an expression; `accept` looks at the last group that matched, or at the whole.
 *
 * @param probe what a text has that has a match, where that is found sooner
 */
function pattern(
  id: string,
  expression: RegExp,
  accept: (match: string) => boolean = () => true,
  // Nearly all texts hold nothing, and matchAll copies its expression each time: ten times the cost of looking.
  probe = new RegExp(expression.source, expression.flags.replace('g', '')),
): SecretRule {
  return {
    id,
    finds: (text) => {
      if (!probe.test(text)) return false
      for (const match of text.matchAll(expression))
        if (accept(match.findLast((group) => group !== undefined) ?? '')) return true
      return false
    },
  }
}

const looksRandom = (value: string): boolean => hasDigit(value) && hasLetter(value) && !isPlaceholder(value)

const secretNames =
  'password|passwd|secret|authorization(?:[-_]token)?|api[-_]?key|access[-_]?token|refresh[-_]?token|auth[-_]?token|session[-_]?token|client[-_]?secret|private[-_]?key|secret[-_]?access[-_]?key'

// Accounts of images, examples and sandboxes. They identify no person.
const nobody =
  /^(?:user|username|you|me|name|yourname|your[-_]?name|runner|node|app|ubuntu|debian|vscode|sandbox|oai|agent|admin|public|shared|default|guest|example|alice|bob|jane|john|johndoe|foo|bar|test|work|dev|data|jovyan|circleci|vsts|linuxbrew|\.+)$/i

const isPersonal = (account: string): boolean => !nobody.test(account)

const keyRules = Object.entries(keyShapes).map(([id, shape]) =>
  pattern(id, new RegExp(fresh + shape, 'g'), (key) => hasDigit(key)),
)
const anyKey = new RegExp(`${fresh}(?:${Object.values(keyShapes).join('|')})`)

const otherRules: readonly SecretRule[] = [
  pattern('bearer-token', /\bbearer(?:\s|%20|\+)+([A-Za-z0-9._~+/=-]{16,})/gi, looksRandom),
  pattern('basic-credentials', /\bbasic\s+([A-Za-z0-9+/]{12,}={0,2})/gi, isUserAndPassword),
  pattern('jwt', /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/g),
  pattern('private-key', /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----/g),
  pattern('age-key', /AGE-SECRET-KEY-1[A-Z0-9]{20,}/g),
  pattern('slack-webhook', /hooks\.slack\.com\/services\/T\w+\/B\w+\/(\w{16,})/g),
  pattern(
    'url-password',
    /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"'\\]{1,100}:([^\s/:@"'\\]{3,200})@/gi,
    (value) => !isPlaceholder(value),
    /:\/\/[^\s/:@"'\\]{1,100}:[^\s/:@"'\\]{3,200}@/,
  ),
  pattern(
    'url-credential',
    /[?&](?:key|api[-_]?key|access_token|id_token|token|sig|signature|client_secret|x-(?:amz|goog)-signature)=([^&#\s"'\\]{12,})/gi,
    looksRandom,
  ),
  pattern('cookie', /\b(?:set-)?cookie\\?["']?\s*[:=]\s*\\?["']?[\w.-]+=([^;\s"'\\]{8,})/gi, looksRandom),
  pattern(
    'credential-header',
    /\b(?:x-(?:goog-)?api-key|api-key|x-auth-token)\\?["']?\s*[:=]\s*\\?["']?([\w.-]{12,})/gi,
    looksRandom,
  ),
  pattern(
    'secret-field',
    new RegExp(`\\b(?:[a-z0-9]+_)*(?:${secretNames})\\\\?["']?\\s*[:=]\\s*\\\\?["']([^"'\\\\\\s]{8,})\\\\?["']`, 'gi'),
    looksRandom,
    new RegExp(secretNames, 'i'),
  ),
  pattern('home-path', /(?<![\w.~:-])\/(?:home|Users)\/([A-Za-z0-9._-]+)(?=[/"'\\\s]|$)/g, isPersonal),
  pattern('home-path', /\b[A-Z]:(?:\\{1,4}|\/)Users(?:\\{1,4}|\/)([^\\/\s"':]+)/gi, isPersonal),
  { id: 'e-mail', finds: hasAddress },
]

/** Fewer signs than any rule asks for: `a@b.co`. */
const fewest = 6

/** The ids of the rules that find something in a text. */
export function rulesIn(text: string): readonly string[] {
  if (text.length < fewest) return []
  const rules = anyKey.test(text) ? [...keyRules, ...otherRules] : otherRules
  return rules.flatMap(({ id, finds }) => (finds(text) ? [id] : []))
}

function isUserAndPassword(encoded: string): boolean {
  try {
    return /^[\x20-\x7e]+:[\x20-\x7e]+$/.test(atob(encoded))
  } catch {
    return false
  }
}

const reservedHost =
  /(?:^|\.)(?:example\.(?:com|org|net|edu)|[a-z0-9-]+\.(?:example|test|invalid|localhost|local|internal))$/i
// `icon@2x.png` and `package@1.2.3.tgz` are no addresses.
const fileEnding = /\.(?:png|jpe?g|gif|svg|webp|css|js|mjs|ts|json|ya?ml|md|html?|tgz|zip|gz|py|rs|go|git)$/i
const addressBefore = /[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}$/
const addressAfter = /^[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,5}\.[A-Za-z]{2,24}(?![A-Za-z0-9])/
const nobodysMailbox = /(?:^|[^A-Za-z0-9])(?:git|noreply|no-reply|mailer-daemon)$/i

// Found from the `@` outwards: an expression that starts with the mailbox takes quadratic time on megabytes of base64.
function hasAddress(text: string): boolean {
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    const before = text.slice(Math.max(0, at - 64), at)
    const host = addressAfter.exec(text.slice(at + 1, at + 400))?.[0]
    if (host === undefined || !addressBefore.test(before)) continue
    if (!reservedHost.test(host) && !fileEnding.test(host) && !nobodysMailbox.test(before)) return true
  }
  return false
}
