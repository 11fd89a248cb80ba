/**
 * What a connection's end says of a purchase: one that never stood carried nothing, one that broke may
 * have. The same error code comes from both, and only the system call tells them apart.
 */
import assert from "node:assert/strict"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { once } from "node:events"
import type { AddressInfo, Socket } from "node:net"
import { describe, it } from "node:test"
import { createServer } from "node:tls"
import { createHttpChannel, PROVIDERS } from "@safelight/channel-http"
import { createSelfSignedCertificate } from "../../support/self-signed-certificate.ts"
import { openProviderWorld } from "./provider-world.ts"

const { fal } = PROVIDERS

const world = await openProviderWorld(fal)
const { picture } = world

/** Undici tells when it has written a request's head, and on which socket. */
const SENT = "undici:client:sendHeaders"

describe("a connection that breaks after the request was sent", () => {
  for (const code of ["EHOSTUNREACH", "ENETUNREACH", "ECONNREFUSED"]) {
    it(`leaves the purchase in doubt: ${code}`, async () => {
      const breakOff = (message: unknown) => {
        const { socket } = message as { readonly socket: Socket }
        socket.destroy(Object.assign(new Error(`read ${code}`), { code, syscall: "read" }))
      }
      subscribe(SENT, breakOff)
      try {
        await assert.rejects(world.channel.submit(picture()), { code: "channel-unavailable" })
      } finally {
        unsubscribe(SENT, breakOff)
      }
    })
  }
})

describe("a connection that never stands", () => {
  for (const host of ["127.0.0.1", "localhost"]) {
    it(`made nothing, whatever addresses were tried: ${host}`, async () => {
      const channel = createHttpChannel({ provider: fal, key: "key", baseUrl: `http://${host}:1` })
      const outcome = await channel.submit(picture())
      assert.deepEqual(outcome, { kind: "not-created", reason: "unreachable" })
      await channel.close?.()
    })
  }

  it("offers no HTTP/2, whose requests may be sent twice, and takes no wrong certificate", async () => {
    const offered: string[][] = []
    const server = createServer({
      ...createSelfSignedCertificate("localhost"),
      ALPNCallback({ protocols }) {
        offered.push(protocols)
        return protocols[0]
      },
    }).listen(0, "127.0.0.1")
    server.on("tlsClientError", () => {})
    await once(server, "listening")
    const baseUrl = `https://localhost:${(server.address() as AddressInfo).port}`
    const channel = createHttpChannel({ provider: fal, key: "key", baseUrl })
    const outcome = await channel.submit(picture())
    assert.deepEqual(outcome, { kind: "not-created", reason: "unreachable" })
    assert.deepEqual(offered, [["http/1.1"]])
    await channel.close?.()
    server.close()
  })
})
