/**
 * The keys of the log: the secret one that signs checkpoints, and the public ones by which they are verified. A process
 * that only answers requests needs no secret.
 */
import { isRefusal, parseVerifierKey, type NoteSigner, type VerifierKey } from "@safelight/proof"
import { openSignerKey, sha256 } from "@safelight/proof/node"
import { configurationError } from "../configuration/configuration-fault.ts"
import type { CheckpointSettings } from "../configuration/configuration.ts"

export interface LogKeys {
  readonly signer?: NoteSigner
  /** The signer's own first, then the others in their order. */
  readonly keys: readonly [VerifierKey, ...VerifierKey[]]
}

/** Undefined if the log is not signed here. Throws `invalid-configuration`; no error holds anything of the secret. */
export function toLogKeys({
  keys: texts = [],
  signingKey,
}: CheckpointSettings): LogKeys | undefined {
  const signer = signingKey === undefined ? undefined : openSigner(signingKey)
  const listed = texts.map((text, place) => parseKey(text, `checkpoints.keys[${place}]`))
  const all =
    signer === undefined
      ? listed
      : [signer.key, ...listed.filter((key) => !isSame(key, signer.key))]
  const [first, ...rest] = all
  if (first === undefined) return undefined
  const stranger = rest.find(({ name }) => name !== first.name)
  if (stranger !== undefined) {
    throw configurationError(
      `checkpoints.keys: ${stranger.name} is the key of another log than ${first.name}`,
    )
  }
  return { ...(signer !== undefined && { signer }), keys: [first, ...rest] }
}

/** Throws `invalid-configuration`, naming `source`. */
export function parseKey(text: string, source: string): VerifierKey {
  const key = parseVerifierKey(sha256, text.trim())
  if (isRefusal(key)) throw configurationError(`${source}: ${key.reason}`)
  if (key.type === "note") return key
  throw configurationError(`${source}: it is the key of a witness, and not of a log`)
}

function openSigner(text: string): NoteSigner {
  const signer = openSignerKey(text.trim())
  if (isRefusal(signer)) throw configurationError(`SAFELIGHT_SIGNING_KEY: ${signer.reason}`)
  return signer
}

function isSame(one: VerifierKey, other: VerifierKey): boolean {
  return one.name === other.name && one.id === other.id
}
