/** The keys by which a proof is verified: those that the caller was given elsewhere, or the service's own word. */
import { toFault, type ProofFault } from "./proof-fault.ts"
import type { ProofKeys } from "./proof-keys.ts"
import { parseVerifierKey, type VerifierKey } from "./verifier-key.ts"

export interface TrustedKeys {
  /** The log's name, which is that of its keys. */
  readonly origin: string
  readonly logKeys: readonly VerifierKey[]
  readonly witnessKeys: readonly VerifierKey[]
}

/** A log has one key, and for a while the former one; a list of a hostile service is bounded. */
const MOST_KEYS = 64

/**
 * Throws a `TypeError` that names the option if the caller's own keys are none. Keys of a service are a fault if they
 * are: `malformed` or `too-large`.
 */
export function trustKeys(
  { keys, log }: ProofKeys,
  witnesses: readonly string[],
): TrustedKeys | ProofFault {
  const witnessKeys = readKeys("witnesses", witnesses, true)
  if (typeof witnessKeys === "string") throw new TypeError(witnessKeys)
  const texts = keys ?? log.keys
  if (keys === undefined && texts.length > MOST_KEYS) {
    return toFault("too-large", "the service names too many keys of its log")
  }
  const logKeys = readKeys("keys", texts, false)
  if (typeof logKeys !== "string") return { origin: logKeys[0]?.name ?? "", logKeys, witnessKeys }
  if (keys !== undefined) throw new TypeError(logKeys)
  return toFault("malformed", `the service's log: ${logKeys}`)
}

/** Says what is wrong with them, if anything is. Witnesses have names of their own, and the keys of a log its own. */
function readKeys(
  option: string,
  texts: readonly string[],
  isWitness: boolean,
): readonly VerifierKey[] | string {
  const keys: VerifierKey[] = []
  for (const [place, text] of texts.entries()) {
    const key = parseVerifierKey(text)
    if (key?.isWitness !== isWitness) {
      const kind = isWitness ? "a witness" : "a log"
      return `${option}[${place}]: expected the public key of ${kind}, name+id+base64`
    }
    const other = keys.find(({ name }) => name !== key.name)
    if (!isWitness && other !== undefined) {
      return `${option}[${place}]: it is the key of another log than ${other.name}`
    }
    const twin = keys.find(({ id, name }) => id === key.id && name === key.name)
    if (twin === undefined) keys.push(key)
    else if (twin.text !== key.text) return `${option}[${place}]: another key has its name and id`
  }
  return keys.length > 0 || isWitness ? keys : `${option}: expected one or more`
}
