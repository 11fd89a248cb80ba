/** Secrets in text that is repeated: what is left out, and that everything else stays. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createApiKeyParts, formatAccessToken, formatApiKey } from "@safelight/access"
import { hideSecrets, MODELS } from "@safelight/core"

const KEY = formatApiKey(createApiKeyParts(new Uint8Array(42).fill(61)))
const TOKEN = formatAccessToken({
  kid: "0aZ9bY8c",
  exp: 1_767_225_600,
  epoch: 12,
  mac: Buffer.alloc(32, 251).toString("base64url"),
})

describe("text that is repeated", () => {
  for (const [name, text, shown] of [
    ["a token", TOKEN, "…"],
    ["a key", KEY, "…"],
    ["both within words", `see ${TOKEN} or ${KEY}!`, "see … or …!"],
    [
      "a link",
      `https://media.example/a?access=${TOKEN}&b=1`,
      "https://media.example/a?access=…&b=1",
    ],
    ["a token that was cut", TOKEN.slice(0, -10), "…"],
    ["a key that was cut", KEY.slice(0, 20), "…"],
    ["a key with a slip", `${KEY}x`, "…"],
    ["a model's id", "vendor-a/v4.1/flash/text-to-image", "vendor-a/v4.1/flash/text-to-image"],
    ["a version", "v1.2.3", "v1.2.3"],
  ] as const) {
    it(`shows ${shown.slice(0, 50)} for ${name}`, () => {
      assert.equal(hideSecrets(text), shown)
    })
  }

  it("is the name of an unknown parameter, wherever the secret begins in it", () => {
    for (const model of MODELS) {
      for (const before of ["", "x".repeat(50), "x".repeat(99), "💩".repeat(99)]) {
        const check = model.check({ [`${before}${TOKEN}${"y".repeat(300)}`]: 1 })
        const told = JSON.stringify(check)
        assert.match(told, /unknown_parameter/)
        assert.doesNotMatch(told, /v1\.0aZ9/)
      }
    }
  })
})
