/**
 * A certificate of the test run's own, for a server on this machine. Made by hand because Node signs
 * but issues nothing, and a certificate in the repository would expire.
 */
import { generateKeyPairSync, sign } from "node:crypto"

export interface SelfSignedCertificate {
  /** PEM. */
  readonly cert: string
  /** PEM. */
  readonly key: string
}

/** Valid from 2020 to 2049 for `hostname`. */
export function createSelfSignedCertificate(hostname: string): SelfSignedCertificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" })
  // ecdsa-with-SHA256, then commonName and subjectAltName (RFC 5280).
  const algorithm = sequence(der(0x06, Buffer.from("2a8648ce3d040302", "hex")))
  const commonName = der(0x06, Buffer.from("550403", "hex"))
  const alternativeName = der(0x06, Buffer.from("551d11", "hex"))
  const name = sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from(hostname)))))
  const names = sequence(der(0x82, Buffer.from(hostname)))
  const body = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1)),
    algorithm,
    name,
    sequence(der(0x17, Buffer.from("200101000000Z")), der(0x17, Buffer.from("490101000000Z"))),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(sequence(alternativeName, der(0x04, names)))),
  )
  const signature = der(0x03, Buffer.of(0), sign("sha256", body, privateKey))
  const base64 = sequence(body, algorithm, signature).toString("base64")
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${base64.replaceAll(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }),
  }
}

function sequence(...parts: readonly Uint8Array[]): Buffer {
  return der(0x30, ...parts)
}

/** Tag, length, value: lengths here stay below 2^16. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const value = Buffer.concat(parts)
  const { length } = value
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length]
  return Buffer.concat([Buffer.from([tag, ...head]), value])
}
