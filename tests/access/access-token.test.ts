/** Access tokens of private links: one text for each, and one meaning for what is signed. */
import assert from "node:assert/strict"
import { createHmac } from "node:crypto"
import { describe, it } from "node:test"
import {
  createLinkKey,
  formatAccessToken,
  parseAccessToken,
  toSignedLinkText,
  type LinkClaim,
} from "@safelight/access"
import * as fc from "fast-check"
import { check } from "../core/support/property.ts"

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const SECRET = Buffer.alloc(32, 7)

const kid = fc.string({
  unit: fc.constantFrom(...BASE62.split("")),
  minLength: 8,
  maxLength: 8,
})
const mac = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => Buffer.from(bytes).toString("base64url"))
const exp = fc.integer({ min: 0, max: 999_999_999_999 })
const epoch = fc.integer({ min: 0, max: 999_999_999_999_999 })
const token = fc.record({ kid, exp, epoch, mac }, { noNullPrototype: true })

/** Text of what an encoding might confuse, lone surrogates and its own escapes among it. */
const text = fc.string({
  unit: fc.constantFrom('"', ",", "[", "]", "\\", "1", "v", "a", "\n", "\0", "\ud800", "é", "u"),
  maxLength: 4,
})
const claim = fc.record(
  { kid: text, account: text, task: text, key: text, exp: fc.nat(12), epoch: fc.nat(12) },
  { noNullPrototype: true },
)

function sign(signed: LinkClaim): string {
  return createHmac("sha256", SECRET).update(toSignedLinkText(signed)).digest("base64url")
}

describe("an access token", () => {
  it("reads back as its parts", (t) => {
    const property = fc.property(token, (value) => {
      const formatted = formatAccessToken(value)
      assert.match(formatted, /^v1\.\w{8}\.\d+\.\d+\.[\w-]{43}$/)
      assert.deepEqual(parseAccessToken(formatted), value)
    })
    check(t, property)
  })

  it("has one text only: whatever parses is written the same again", (t) => {
    const noise = fc.constantFrom("", "0", "00", "-", "+", ".", " ", "=", "A", "é", "1e3", "\n")
    const property = fc.property(token, noise, fc.nat(90), (value, inserted, place) => {
      const formatted = formatAccessToken(value)
      const changed = formatted.slice(0, place) + inserted + formatted.slice(place)
      const parsed = parseAccessToken(changed)
      if (parsed !== undefined) assert.equal(formatAccessToken(parsed), changed)
    })
    check(t, property, 1_000)
  })

  it("is refused with any one character changed, by its form or by its MAC", (t) => {
    const characters = Array.from(`${BASE62}_-.+=/ é`)
    const property = fc.property(kid, exp, epoch, (id, ends, raised) => {
      const names = { account: "account-a", task: "task-1", key: "image_1" }
      const signed = { ...names, kid: id, exp: ends, epoch: raised }
      const formatted = formatAccessToken({ ...signed, mac: sign(signed) })
      for (let place = 0; place < formatted.length; place += 1) {
        for (const character of characters) {
          if (character === formatted[place]) continue
          const parsed = parseAccessToken(
            `${formatted.slice(0, place)}${character}${formatted.slice(place + 1)}`,
          )
          if (parsed === undefined) continue
          assert.notEqual(sign({ ...names, ...parsed }), parsed.mac, `${character} at ${place}`)
        }
      }
    })
    check(t, property, 5)
  })

  for (const [name, form] of [
    ["nothing", ""],
    ["another version", "v2.AAAAAAAA.1.1.M"],
    ["a large version", "V1.AAAAAAAA.1.1.M"],
    ["seven digits of a key", "v1.AAAAAAA.1.1.M"],
    ["nine digits of a key", "v1.AAAAAAAAA.1.1.M"],
    ["a key that is not base62", "v1.AAAAAAA_.1.1.M"],
    ["an end with a zero before it", "v1.AAAAAAAA.01.1.M"],
    ["an end with a sign", "v1.AAAAAAAA.+1.1.M"],
    ["an end before 1970", "v1.AAAAAAAA.-1.1.M"],
    ["an end with an exponent", "v1.AAAAAAAA.1e3.1.M"],
    ["an end in other digits", "v1.AAAAAAAA.١.1.M"],
    ["no end", "v1.AAAAAAAA..1.M"],
    ["an end of thirteen digits", "v1.AAAAAAAA.1000000000000.1.M"],
    ["an epoch with a zero before it", "v1.AAAAAAAA.1.00.M"],
    ["an epoch that is not whole", "v1.AAAAAAAA.1.0.5.M"],
    ["an epoch of sixteen digits", "v1.AAAAAAAA.1.1000000000000000.M"],
    ["a part too few", "v1.AAAAAAAA.1.M"],
    ["a part too many", "v1.AAAAAAAA.1.1.M.M"],
    ["padding", "v1.AAAAAAAA.1.1.M="],
    ["a space behind it", "v1.AAAAAAAA.1.1.M "],
    ["a line end behind it", "v1.AAAAAAAA.1.1.M\n"],
    ["a digit too many", "v1.AAAAAAAA.1.1.MA"],
    ["a million characters", `v1.AAAAAAAA.1.1.M${"A".repeat(1_000_000)}`],
  ] as const) {
    it(`is refused: ${name}`, () => {
      const whole = Buffer.alloc(32).toString("base64url")
      assert.ok(parseAccessToken(`v1.AAAAAAAA.1.1.${whole}`))
      assert.equal(parseAccessToken(form.replace(/M(?!.*M)/s, whole)), undefined)
    })
  }

  it("is refused where its last digit says more than 32 bytes hold, or it is not base64url", () => {
    const digits = Array.from(`${BASE62}-_+/=`)
    const body = "A".repeat(42)
    const taken = digits.filter((digit) => parseAccessToken(`v1.AAAAAAAA.1.1.${body}${digit}`))
    const canonical = Array.from({ length: 16 }, (_, index) =>
      Buffer.concat([Buffer.alloc(31), Buffer.from([index])])
        .toString("base64url")
        .at(-1),
    )
    assert.deepEqual(new Set(taken), new Set(canonical))
    assert.equal(parseAccessToken(`v1.AAAAAAAA.1.1.+${body}`), undefined)
    assert.equal(parseAccessToken(`v1.AAAAAAAA.1.1./${body}`), undefined)
  })
})

describe("what a link signs", () => {
  it("is different for claims that differ in anything", (t) => {
    const property = fc.property(claim, claim, (one, other) => {
      const isSame = (Object.keys(one) as (keyof LinkClaim)[]).every(
        (name) => one[name] === other[name],
      )
      const [bytes, others] = [one, other].map((each) => Buffer.from(toSignedLinkText(each)))
      assert.equal(bytes?.equals(others ?? Buffer.alloc(0)), isSame)
    })
    check(t, property, 2_000)
  })

  it("is different where characters move from one name to the next", () => {
    const base = { kid: "AAAAAAAA", exp: 1, epoch: 2 }
    const texts = ["a", "ab", "abc"].flatMap((account) =>
      ["", "a", 'a","b', "b"].flatMap((task) =>
        ["", "c", 'b","c'].map((key) => toSignedLinkText({ ...base, account, task, key })),
      ),
    )
    assert.equal(new Set(texts).size, texts.length)
    const swapped = [
      { exp: 1, epoch: 23 },
      { exp: 12, epoch: 3 },
      { exp: 2, epoch: 1 },
    ]
    const names = { kid: "AAAAAAAA", account: "a", task: "b", key: "c" }
    assert.equal(new Set(swapped.map((each) => toSignedLinkText({ ...names, ...each }))).size, 3)
  })

  it("reads back as the claim, behind a line of its own", (t) => {
    const property = fc.property(claim, (value) => {
      const bytes = Buffer.from(toSignedLinkText(value)).toString()
      const [domain = "", ...rest] = bytes.split("\n")
      assert.equal(domain, "safelight:link:1")
      const { kid: id, account, task, key, exp: ends, epoch: raised } = value
      assert.deepEqual(JSON.parse(rest.join("\n")), ["v1", id, account, task, key, ends, raised])
    })
    check(t, property)
  })

  it("stays what it is: every link that was given out depends on it", () => {
    const names = { kid: "0000000A", account: "account-a", task: "task-1", key: "image_1" }
    assert.equal(
      toSignedLinkText({ ...names, exp: 1_767_225_600, epoch: 3 }),
      'safelight:link:1\n["v1","0000000A","account-a","task-1","image_1",1767225600,3]',
    )
  })
})

describe("a new link key", () => {
  it("has 32 bytes for a secret, and an id of eight other digits that are equally likely", () => {
    const bytes = Uint8Array.from({ length: 64 }, (_, index) => index)
    const { id, secret, createdAt } = createLinkKey(bytes, 5)
    assert.equal(secret, Buffer.from(bytes.subarray(0, 32)).toString("hex"))
    assert.deepEqual([id, createdAt], [BASE62.slice(32, 40), 5])
  })

  it("skips the bytes that would favour some digits, and refuses too few", () => {
    const bytes = new Uint8Array(64).fill(255, 32, 56)
    assert.equal(createLinkKey(bytes, 0).id, "00000000")
    assert.throws(() => createLinkKey(bytes.fill(255, 56, 57), 0), RangeError)
    assert.throws(() => createLinkKey(new Uint8Array(39), 0), RangeError)
  })
})
