/**
 * The access token of a private link: `v1.<kid>.<exp>.<epoch>.<base64url HMAC-SHA256>`
 * (http-decisions §6). It names neither account nor task nor artifact: those are in the address and are
 * signed with it, so a token that parses is only a claim until its MAC is verified.
 */

export interface AccessToken {
  /** The signing key's id, 8 base62 digits. */
  readonly kid: string
  /** Unix seconds; from then on the link opens nothing. */
  readonly exp: number
  /** `LinkStorage.readLinkEpoch` when the link was made. */
  readonly epoch: number
  /** 32 bytes as 43 base64url digits without padding. */
  readonly mac: string
}

/** What a link's MAC is made of: the artifact that it opens, and until when. */
export interface LinkClaim extends Omit<AccessToken, "mac"> {
  readonly account: string
  readonly task: string
  /** The artifact's key. */
  readonly key: string
}

/** Without a sign or leading zeros; 12 and 15 digits are exact numbers, in milliseconds too. */
const EXP = "0|[1-9][0-9]{0,11}"
const EPOCH = "0|[1-9][0-9]{0,14}"
/** The last of 43 digits holds four bits, so that it is one of sixteen. */
const MAC = "[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]"
const PATTERN = new RegExp(`^v1\\.([0-9A-Za-z]{8})\\.(${EXP})\\.(${EPOCH})\\.(${MAC})$`)

/** The longest that parses; nothing longer is looked at. */
const MAX_CHARACTERS = 2 + 8 + 12 + 15 + 43 + 4

export function formatAccessToken({ kid, exp, epoch, mac }: AccessToken): string {
  return `v1.${kid}.${exp}.${epoch}.${mac}`
}

/** The parts of a token in its one form, or undefined: each token has exactly one text. */
export function parseAccessToken(text: string): AccessToken | undefined {
  if (text.length > MAX_CHARACTERS) return undefined
  const [, kid, exp, epoch, mac] = PATTERN.exec(text) ?? []
  if (kid === undefined || mac === undefined) return undefined
  return { kid, exp: Number(exp), epoch: Number(epoch), mac }
}

/**
 * The text that is signed, as UTF-8. The first line belongs to links alone, so that no other MAC of ours can
 * be used for one. A JSON array of strings and integers has one reading, so two claims that differ never
 * have the same text.
 */
export function toSignedLinkText({ kid, account, task, key, exp, epoch }: LinkClaim): string {
  return `safelight:link:1\n${JSON.stringify(["v1", kid, account, task, key, exp, epoch])}`
}
