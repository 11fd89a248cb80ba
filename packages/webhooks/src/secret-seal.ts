/**
 * Seals the signing secrets of endpoints, so that the table of endpoints, a line of it in a server's log or a dump
 * without the deployment's secrets gives none of them away. Whoever has the whole database has the key too. A secret
 * that the first release wrote stands there in clear, opens as it is, and is sealed with the next change.
 *
 *     sealed:1:base64url(12 bytes of nonce, the text in AES-256-GCM, 16 bytes of its tag), for one endpoint
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto"
import type { DeploymentStorage, WebhookEndpoint, WebhookSecret } from "@safelight/core"

export interface SecretSeal {
  /** The same endpoint with every secret sealed. Rejects as the storage does. */
  seal(endpoint: WebhookEndpoint): Promise<WebhookEndpoint>
  /**
   * The secrets of an endpoint, the newest first; undefined if that one can't be opened, as with another key. Older
   * ones that can't are left out. Rejects as the storage does.
   */
  open(endpoint: WebhookEndpoint): Promise<readonly WebhookSecret[] | undefined>
}

const PREFIX = "sealed:1:"
const CIPHER = "aes-256-gcm"
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

export function isSealed({ secret }: WebhookSecret): boolean {
  return secret.startsWith(PREFIX)
}

export function createSecretSeal(
  storage: Pick<DeploymentStorage, "agreeOnSealingSecret">,
): SecretSeal {
  let key: Promise<Uint8Array> | undefined

  /** Asked for once: it is the same as long as there is the database. */
  function findKey(): Promise<Uint8Array> {
    key ??= deriveKey(storage).catch((error: unknown) => {
      key = undefined
      throw error
    })
    return key
  }

  return {
    async seal(endpoint) {
      const found = await findKey()
      const secrets = endpoint.secrets.map((each) =>
        isSealed(each) ? each : { ...each, secret: sealText(each.secret, endpoint.id, found) },
      )
      return { ...endpoint, secrets }
    },
    async open({ id, secrets }) {
      const found = await findKey()
      const opened = secrets.map((each) =>
        isSealed(each) ? { ...each, secret: openText(each.secret, id, found) } : each,
      )
      if (opened[0]?.secret === undefined) return undefined
      return opened.filter((each): each is WebhookSecret => each.secret !== undefined)
    },
  }
}

async function deriveKey(
  storage: Pick<DeploymentStorage, "agreeOnSealingSecret">,
): Promise<Uint8Array> {
  const secret = await storage.agreeOnSealingSecret(randomBytes(KEY_BYTES).toString("hex"))
  const label = "safelight:webhook-secret:1"
  return new Uint8Array(hkdfSync("sha256", Buffer.from(secret, "hex"), "", label, KEY_BYTES))
}

function sealText(text: string, endpoint: string, key: Uint8Array): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(Buffer.from(endpoint))
  const sealed = Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()])
  return `${PREFIX}${sealed.toString("base64url")}`
}

/** Undefined for another key or endpoint, and for what was damaged. */
function openText(sealed: string, endpoint: string, key: Uint8Array): string | undefined {
  const bytes = Buffer.from(sealed.slice(PREFIX.length), "base64url")
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined
  const nonce = bytes.subarray(0, NONCE_BYTES)
  const cipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(Buffer.from(endpoint))
  cipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  const text = cipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES))
  try {
    return Buffer.concat([text, cipher.final()]).toString()
  } catch {
    // The tag is another: its one failure.
    return undefined
  }
}
