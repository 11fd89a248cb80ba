/**
 * Addresses of input media, both sides of every rule (http-decisions §4): http(s) URLs of at most
 * 8,192 characters, and data URLs of a matching type in canonical base64 of at most 20 MiB.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  DATA_URL_TYPES,
  imageEdit,
  MEDIA_URL_LIMITS,
  referenceToVideo,
  type MediaKind,
} from "@safelight/core"
import * as fc from "fast-check"
import { check } from "./support/property.ts"

function codeOf(url: string, kind: MediaKind = "image"): string | undefined {
  const result = referenceToVideo.check({ [`${kind}_urls`]: [url] })
  if (result.kind === "valid") return undefined
  assert.equal(result.issues.length, 1)
  assert.equal(result.issues[0]?.param, `parameters.${kind}_urls[0]`)
  return result.issues[0].code
}

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
const HOST = "https://media.example/"

const ADDRESSES: readonly (readonly [url: string, code?: string])[] = [
  ["http://media.example"],
  ["https://media.example/"],
  ["HTTPS://MEDIA.EXAMPLE/A.PNG"],
  ["https://media.example:8443/a?b=c#d"],
  ["https://media.example?q"],
  ["https://media.example/a@b"],
  ["https://192.0.2.1/a"],
  ["https://[2001:db8::1]/a"],
  ["https://[2001:db8::1]:8443/a"],
  ["https://bücher.example/ä"],
  ["https://media.example/%F0%9F%92%A9"],
  ["", "invalid_url"],
  ["media.example/a.png", "invalid_url"],
  ["//media.example/a.png", "invalid_url"],
  ["/a.png", "invalid_url"],
  ["https:/media.example", "invalid_url"],
  ["https:media.example", "invalid_url"],
  ["https://", "invalid_url"],
  ["https:///a.png", "invalid_url"],
  ["https://?q", "invalid_url"],
  ["https://:443/a", "invalid_url"],
  ["https://media.example:port/a", "invalid_url"],
  ["https://media.example:65536/a", "invalid_url"],
  ["https://[2001:db8::1/a", "invalid_url"],
  ["https://2001:db8::1/a", "invalid_url"],
  [" https://media.example", "invalid_url"],
  ["https://media.example ", "invalid_url"],
  ["https://media.example/a b", "invalid_url"],
  ["https://media.example/a\n", "invalid_url"],
  ["https://media.example\\a", "invalid_url"],
  ["https://media.example/\ud800", "invalid_url"],
  ["https://user@media.example/", "url_not_allowed"],
  ["https://user:word@media.example/", "url_not_allowed"],
  ["https://@media.example/", "url_not_allowed"],
  ["ftp://media.example/a.png", "url_not_allowed"],
  ["file:///etc/passwd", "url_not_allowed"],
  ["javascript:alert(1)", "url_not_allowed"],
  ["blob:https://media.example/1", "url_not_allowed"],
  ["DATA:image/png;base64,AAAA", "url_not_allowed"],
]

describe("an address", () => {
  for (const [url, code] of ADDRESSES) {
    it(`${JSON.stringify(url)} is ${code ?? "accepted"}`, () => assert.equal(codeOf(url), code))
  }

  it("of 8,192 characters is accepted, of one more refused, counted in code points", () => {
    const longest = MEDIA_URL_LIMITS.urlCharacters - HOST.length
    assert.equal(codeOf(`${HOST}${"a".repeat(longest)}`), undefined)
    assert.equal(codeOf(`${HOST}${"a".repeat(longest + 1)}`), "string_above_max_length")
    assert.equal(codeOf(`${HOST}${"\u{1f4a9}".repeat(longest)}`), undefined)
    assert.equal(codeOf(`${HOST}${"\u{1f4a9}".repeat(longest + 1)}`), "string_above_max_length")
  })

  it("that is accepted is one that the URL standard can read, without credentials", (t) => {
    // No digits, percent signs or brackets: whether a host of those is one is settled by the fetch.
    const character = fc.constantFrom(..."ab.:/?#@\\ -_\u00e4\ud83d".split(""))
    const tail = fc.string({ unit: character, maxLength: 12 })
    const property = fc.property(
      fc.constantFrom("http://", "https://", "https:", ""),
      tail,
      (scheme, rest) => {
        const url = `${scheme}${rest}`
        if (codeOf(url) !== undefined) return
        assert.ok(URL.canParse(url), url)
        const { username, password } = new URL(url)
        assert.equal(`${username}${password}`, "")
      },
    )
    check(t, property, 5_000)
  })
})

const DATA_URLS: readonly (readonly [url: string, code?: string])[] = [
  ["data:image/png;base64,AA=="],
  ["data:image/png;base64,AAA="],
  ["data:image/jpeg;base64,AAAA"],
  ["data:image/webp;base64,+/+/"],
  ["data:image/png;base64,", "invalid_data_url"],
  ["data:image/gif;base64,AAAA", "invalid_data_url"],
  ["data:image/svg+xml;base64,AAAA", "invalid_data_url"],
  ["data:image/jpg;base64,AAAA", "invalid_data_url"],
  ["data:image/PNG;base64,AAAA", "invalid_data_url"],
  ["data:text/html;base64,AAAA", "invalid_data_url"],
  ["data:;base64,AAAA", "invalid_data_url"],
  ["data:image/png,AAAA", "invalid_data_url"],
  ["data:image/png;charset=utf-8;base64,AAAA", "invalid_data_url"],
  ["data:image/png;base64;base64,AAAA", "invalid_data_url"],
  ["data: image/png;base64,AAAA", "invalid_data_url"],
  ["data:image/png;base64,A", "invalid_data_url"],
  ["data:image/png;base64,AA", "invalid_data_url"],
  ["data:image/png;base64,AAA", "invalid_data_url"],
  ["data:image/png;base64,AA=", "invalid_data_url"],
  ["data:image/png;base64,A===", "invalid_data_url"],
  ["data:image/png;base64,====", "invalid_data_url"],
  ["data:image/png;base64,=AAA", "invalid_data_url"],
  ["data:image/png;base64,AA==AAAA", "invalid_data_url"],
  ["data:image/png;base64,AA-_", "invalid_data_url"],
  ["data:image/png;base64,AA AA", "invalid_data_url"],
  ["data:image/png;base64,AAAA\n", "invalid_data_url"],
  ["data:image/png;base64,AA%3D%3D", "invalid_data_url"],
]

describe("a data URL", () => {
  for (const [url, code] of DATA_URLS) {
    it(`${JSON.stringify(url)} is ${code ?? "accepted"}`, () => assert.equal(codeOf(url), code))
  }

  it("is accepted for the types of its kind and for no other", () => {
    const kinds = Object.keys(DATA_URL_TYPES) as MediaKind[]
    for (const kind of kinds) {
      for (const [of, types] of Object.entries(DATA_URL_TYPES)) {
        for (const type of types) {
          const expected = of === kind ? undefined : "invalid_data_url"
          assert.equal(codeOf(`data:${type};base64,AAAA`, kind), expected, `${type} as ${kind}`)
        }
      }
    }
  })

  it("is accepted exactly where its base64 is what an encoder writes", (t) => {
    const digits = fc.string({
      unit: fc.constantFrom(...BASE64.split(""), "=", "-"),
      minLength: 1,
      maxLength: 9,
    })
    const property = fc.property(digits, (body) => {
      const isCanonical = Buffer.from(body, "base64").toString("base64") === body
      const expected = isCanonical ? undefined : "invalid_data_url"
      assert.equal(codeOf(`data:image/png;base64,${body}`), expected, body)
    })
    check(t, property, 5_000)
  })

  it("ends in a digit whose unused bits are zero, whichever of the 64 it is", () => {
    for (const digit of BASE64) {
      for (const body of [`AA${digit}=`, `A${digit}==`, `AAA${digit}`]) {
        const isCanonical = Buffer.from(body, "base64").toString("base64") === body
        const expected = isCanonical ? undefined : "invalid_data_url"
        assert.equal(codeOf(`data:image/png;base64,${body}`), expected, body)
      }
    }
  })

  it("holds at most 20 MiB once decoded, to the byte", () => {
    const most = MEDIA_URL_LIMITS.dataUrlBytes
    assert.equal(most, 20_971_520)
    for (const bytes of [most - 1, most, most + 1, most + 2]) {
      const url = `data:image/png;base64,${Buffer.alloc(bytes).toString("base64")}`
      assert.equal(codeOf(url), bytes <= most ? undefined : "invalid_data_url", `${bytes} bytes`)
    }
  })

  it("says which of several is at fault", () => {
    const urls = [HOST, "data:image/png;base64,AAAA", "data:image/png;base64,?"]
    const result = imageEdit.check({ prompt: "", image_urls: urls })
    const issues = result.kind === "invalid" ? result.issues.map(({ param }) => param) : []
    assert.deepEqual(issues, ["parameters.image_urls[2]"])
  })
})
