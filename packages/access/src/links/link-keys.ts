/**
 * The keys that sign private links. They are cached for `keyCacheMs`, and read again for an unknown id,
 * so that a link that another node signed with a new key opens here at once.
 */
import type { Clock, LinkKey, LinkStorage } from "@safelight/core"
import type { AccessSettings } from "../settings/defaults.ts"
import { createLinkKey } from "./link-key.ts"
import { createDecoyKey, importMacKey } from "./link-mac.ts"

export interface LinkKeysOptions {
  readonly storage: Pick<LinkStorage, "addLinkKey" | "readLinkKeys">
  readonly clock: Pick<Clock, "now" | "monotonicNow">
  readonly settings: Pick<AccessSettings, "keyCacheMs">
}

export interface ImportedKey {
  readonly id: string
  readonly key: CryptoKey
}

export interface LinkKeys {
  /** The key that signs now; if there is none, one is made first, and is durable. */
  signing(): Promise<ImportedKey>
  /** The live key with this id; for an unknown one a decoy, so that both take the same time. */
  find(id: string): Promise<CryptoKey>
}

/** 32 for the secret; the chance that the others give fewer than 8 digits is below 10^-30. */
const RANDOM_BYTES = 64

/** As `KeyMaker.rotateLinkKey`. */
export async function rotateLinkKey(
  storage: Pick<LinkStorage, "addLinkKey">,
  now: number,
): Promise<Omit<LinkKey, "secret">> {
  const key = createLinkKey(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)), now)
  await storage.addLinkKey(key)
  return { id: key.id, createdAt: key.createdAt }
}

/** Its methods reject with what the storage rejects with. */
export function createLinkKeys({ storage, clock, settings }: LinkKeysOptions): LinkKeys {
  let believed: readonly ImportedKey[] = []
  let believedUntilMs = 0
  let decoy: Promise<CryptoKey> | undefined

  async function read(): Promise<readonly ImportedKey[]> {
    const untilMs = clock.monotonicNow() + settings.keyCacheMs
    const stored = await storage.readLinkKeys()
    believed = await Promise.all(
      stored.map(async ({ id, secret }) => ({ id, key: await importMacKey(secret) })),
    )
    // An empty list is never cached: the first key counts as soon as it is there.
    believedUntilMs = believed.length === 0 ? 0 : untilMs
    return believed
  }

  /** Two nodes may make a key at once: both stay, and the list read afterwards says which one signs. */
  async function readOrMake(): Promise<readonly ImportedKey[]> {
    const keys = await read()
    if (keys.length > 0) return keys
    await rotateLinkKey(storage, clock.now())
    return read()
  }

  const readTogether = together(read)
  const readOrMakeTogether = together(readOrMake)

  function isBelieved(): boolean {
    return clock.monotonicNow() < believedUntilMs
  }

  return {
    async signing() {
      const [first] = isBelieved() ? believed : await readOrMakeTogether()
      if (first === undefined) throw new Error("a link key that was stored is not there")
      return first
    },
    async find(id) {
      decoy ??= createDecoyKey()
      const isThis = (each: ImportedKey): boolean => each.id === id
      const known = isBelieved() ? believed.find(isThis) : undefined
      return (known ?? (await readTogether()).find(isThis))?.key ?? decoy
    },
  }
}

/** The same call for all who ask while it runs. */
function together<Value>(call: () => Promise<Value>): () => Promise<Value> {
  let running: Promise<Value> | undefined
  return () => {
    running ??= call().finally(() => {
      running = undefined
    })
    return running
  }
}
