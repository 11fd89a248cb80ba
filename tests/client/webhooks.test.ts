/** `verifyWebhook` against the published example of Standard Webhooks, and against what forgers do. */
import assert from "node:assert/strict"
import { createHmac } from "node:crypto"
import { describe, it } from "node:test"
import { verifyWebhook, type VerifyWebhookOptions } from "@safelight/client"

/** Of https://github.com/standard-webhooks/standard-webhooks: the vector of its libraries' tests. */
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
const BODY = '{"test": 2432232314}'
const SENT_AT = 1_614_265_330
const HEADERS = {
  "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
  "webhook-timestamp": String(SENT_AT),
  "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
}
const GOOD: VerifyWebhookOptions = {
  headers: HEADERS,
  body: BODY,
  secret: SECRET,
  now: SENT_AT * 1_000,
}

function sign(body: string | Uint8Array, secret: string): string {
  const key = Buffer.from(secret.replace("whsec_", ""), "base64")
  const start = `${HEADERS["webhook-id"]}.${SENT_AT}.`
  return `v1,${createHmac("sha256", key).update(start).update(body).digest("base64")}`
}

const OTHER = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"

describe("a webhook", () => {
  it("is taken as the published example has it, from headers of any kind", async () => {
    const expected = {
      id: HEADERS["webhook-id"],
      timestamp: SENT_AT,
      payload: { test: 2432232314 },
    }
    const capital = Object.fromEntries(
      Object.entries(HEADERS).map(([name, value]) => [name.toUpperCase(), [value]]),
    )
    for (const headers of [HEADERS, new Headers(HEADERS), capital]) {
      assert.deepEqual(await verifyWebhook({ ...GOOD, headers }), expected)
    }
    const body = new TextEncoder().encode(BODY)
    assert.deepEqual(await verifyWebhook({ ...GOOD, body }), expected)
    assert.deepEqual(await verifyWebhook({ ...GOOD, secret: SECRET.slice(6) }), expected)
  })

  it("is taken while a secret is replaced: several secrets, several signatures", async () => {
    assert.ok(await verifyWebhook({ ...GOOD, secret: [OTHER, SECRET] }))
    const signatures = ["v1a,AAAA", "v1,!!!!", "v1,ab=", sign(BODY, OTHER), sign(BODY, SECRET)]
    const headers = { ...HEADERS, "webhook-signature": signatures.join(" ") }
    assert.ok(await verifyWebhook({ ...GOOD, headers }))
  })

  it("is taken within five minutes of its moment, or within what the caller allows", async () => {
    for (const seconds of [-300, 300]) {
      assert.ok(await verifyWebhook({ ...GOOD, now: (SENT_AT + seconds) * 1_000 }))
    }
    for (const seconds of [-301, 301]) {
      const now = (SENT_AT + seconds) * 1_000
      await assert.rejects(verifyWebhook({ ...GOOD, now }), { code: "invalid_webhook" })
      assert.ok(await verifyWebhook({ ...GOOD, now, toleranceSeconds: 301 }))
    }
    await assert.rejects(verifyWebhook({ ...GOOD, now: undefined }), { code: "invalid_webhook" })
  })

  const many = Array.from({ length: 16 }, () => "v1,AAAA").join(" ")
  const forged: readonly (readonly [string, Partial<VerifyWebhookOptions>])[] = [
    ["another body", { body: `${BODY} ` }],
    ["another secret", { secret: OTHER }],
    ["no secret at all", { secret: [] }],
    ["no headers", { headers: {} }],
    ["another id", { headers: { ...HEADERS, "webhook-id": "msg_other" } }],
    ["no id", { headers: { ...HEADERS, "webhook-id": "" } }],
    ["two ids", { headers: { ...HEADERS, "webhook-id": [HEADERS["webhook-id"], "b"] } }],
    ["another moment", { headers: { ...HEADERS, "webhook-timestamp": String(SENT_AT + 1) } }],
    ["a moment that is none", { headers: { ...HEADERS, "webhook-timestamp": "1e9" } }],
    ["no signature", { headers: { ...HEADERS, "webhook-signature": undefined } }],
    ["an empty signature", { headers: { ...HEADERS, "webhook-signature": "v1," } }],
    [
      "a signature of another scheme",
      {
        headers: { ...HEADERS, "webhook-signature": sign(BODY, SECRET).replace("v1,", "v1a,") },
      },
    ],
    [
      "a cut signature",
      {
        headers: { ...HEADERS, "webhook-signature": HEADERS["webhook-signature"].slice(0, 30) },
      },
    ],
    [
      "the right signature behind too many",
      {
        headers: { ...HEADERS, "webhook-signature": `${many} ${HEADERS["webhook-signature"]}` },
      },
    ],
  ]
  for (const [name, change] of forged) {
    it(`with ${name} is refused`, async () => {
      await assert.rejects(verifyWebhook({ ...GOOD, ...change }), {
        name: "ApiError",
        code: "invalid_webhook",
      })
    })
  }

  it("that is signed and no JSON is refused", async () => {
    const headers = { ...HEADERS, "webhook-signature": sign("a=1", SECRET) }
    await assert.rejects(verifyWebhook({ ...GOOD, headers, body: "a=1" }), {
      code: "invalid_webhook",
    })
  })

  it("is judged by its bytes, whatever text they are", async () => {
    const body = Uint8Array.from([34, 0xff, 34])
    const headers = { ...HEADERS, "webhook-signature": sign(body, SECRET) }
    assert.equal((await verifyWebhook({ ...GOOD, headers, body })).payload, "\ufffd")
  })

  it("is not judged with a secret that is none", async () => {
    for (const secret of ["whsec_", "whsec_ä", "whsec_abcde"]) {
      await assert.rejects(verifyWebhook({ ...GOOD, secret }), ({ name, message }: Error) => {
        assert.equal(name, "TypeError")
        return secret === "whsec_" || !message.includes(secret.slice(6))
      })
    }
  })
})
