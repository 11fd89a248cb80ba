/** Texts and 3D models by their first bytes. What tells them apart is their own, so no file of one is taken for another. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { toDeclaredKind, toMediaTypes, type ArtifactKind } from "@safelight/core"
import * as fc from "fast-check"
import { check } from "./support/property.ts"

const KINDS: readonly ArtifactKind[] = ["text", "3d"]

function find(
  bytes: string | Uint8Array,
  { kinds = KINDS, detected }: { kinds?: readonly ArtifactKind[]; detected?: string } = {},
): string | undefined {
  const sample = typeof bytes === "string" ? Buffer.from(bytes) : bytes
  const [type, ...others] = toMediaTypes(detected, kinds, sample)
  assert.deepEqual(others, [])
  return type && `${type.kind} ${type.mimeType}`
}

const latin1 = (text: string): Buffer => Buffer.from(text, "latin1")
/** The header of a file in an archive (APPNOTE §4.3.7), and what follows it. */
const zip = (name: string, method = "\0\0"): Buffer =>
  latin1(
    `PK\x03\x04\x0a\0\0\0${method}${"\0".repeat(16)}${String.fromCharCode(name.length)}\0\0\0${name}data`,
  )

describe("the first bytes of a 3D model", () => {
  const models: readonly (readonly [string, string | Buffer, string])[] = [
    ["GLB", latin1("glTF\x02\0\0\0\x20\xff"), "model/gltf-binary"],
    ["PLY", "ply\nformat ascii 1.0\nelement vertex 8\n", "model/ply"],
    ["binary PLY", latin1("ply\r\ncomment of\nformat binary_little_endian 1.0\n\xff"), "model/ply"],
    ["STL", "solid cube\n  facet normal 0 0 1\n    outer loop\n", "model/stl"],
    ["USDZ", zip("scene.usdc"), "model/vnd.usdz+zip"],
    [
      "OBJ",
      "# Blender\nmtllib a.mtl\no Cube\nv 1.0 1e-3 -1\nvn 0 1 0\nf 1/1/1 2 3\nv 0 0",
      "model/obj",
    ],
  ]
  for (const [name, bytes, mimeType] of models) {
    it(`are told from a ${name}`, () => {
      assert.equal(find(bytes), `3d ${mimeType}`)
      assert.equal(find(bytes, { kinds: ["3d"] }), `3d ${mimeType}`)
      assert.notEqual(find(bytes, { kinds: ["text"] })?.startsWith("3d"), true)
      assert.equal(find(bytes, { kinds: ["image", "video", "audio"] }), undefined)
    })
  }

  const others: readonly (readonly [string, string | Buffer])[] = [
    ["an older glTF", latin1("glTF\x01\0\0\0")],
    ["an archive of something else", zip("word/document.xml")],
    ["a scene that is compressed", zip("scene.usdc", "\x08\0")],
    ["a text of vertices and something else", "v 1 2 3\nplease see the attached file\n"],
    ["a text of the same first word", "solid advice is rare\nand dear\n"],
    ["nothing", ""],
  ]
  for (const [name, bytes] of others) {
    it(`are not taken from ${name}`, () => {
      assert.equal(find(bytes, { kinds: ["3d"] }), undefined)
      assert.equal(find(bytes, { kinds: ["3d"], detected: "model/stl" }), undefined)
    })
  }

  it("are those of a 3MF by its detector's word", () => {
    assert.equal(find(zip("3D/3dmodel.model"), { detected: "model/3mf" }), "3d model/3mf")
  })
})

describe("the first bytes of a text", () => {
  const texts: readonly (readonly [string, string, string])[] = [
    ["plain text", "O café, ÿ 🎶\n\tand so on", "text/plain"],
    ["captions", "WEBVTT\n\n00:00.000 --> 00:01.000\nfog", "text/vtt"],
    ["captions behind a mark", "\ufeffWEBVTT - fog\n", "text/vtt"],
    ["subtitles", "1\r\n00:00:01,000 --> 00:00:02,500\r\nfog", "application/x-subrip"],
    ["JSON", '{"words": []}', "text/plain"],
    ["a text of which a detector says something else", "BMW and ID3 in one song", "text/plain"],
  ]
  for (const [name, text, mimeType] of texts) {
    it(`are told from ${name}`, () => {
      assert.equal(find(text, { detected: "image/bmp" }), `text ${mimeType}`)
    })
  }

  it("may end within a character, which the rest completes", () => {
    const bytes = Buffer.from("ab🎶")
    for (const end of [3, 4, 5, 6]) assert.equal(find(bytes.subarray(0, end)), "text text/plain")
  })

  const others: readonly (readonly [string, string | Buffer])[] = [
    ["a page", "\ufeff\n<!DOCTYPE html>\n<p>Sign in"],
    ["a page without a type", "<html lang=en>"],
    ["bytes", Buffer.from([0x80, 0x41])],
    ["another encoding", latin1("caf\xe9 au lait")],
    ["an overlong form", Buffer.from([0xc0, 0xaf])],
    ["zeros", "a\0b"],
    ["an escape", "\u001b[2J"],
    ["nothing", ""],
  ]
  for (const [name, bytes] of others) {
    it(`are not taken from ${name}`, () => assert.equal(find(bytes), undefined))
  }

  it("are taken or refused in no time, whatever they are", (t) => {
    const pieces = [
      "ply\n",
      "comment a\n",
      "solid ",
      "facet ",
      "v 1 1 1\n",
      "f ",
      "\n",
      " ",
      "1",
      "\0",
    ]
    const property = fc.property(
      fc.array(fc.constantFrom(...pieces), { maxLength: 4_000 }),
      (words) => {
        find(words.join("").slice(0, 4_100))
      },
    )
    check(t, property)
  })
})

describe("a declared type", () => {
  it("says of which kind a file is, if it does", () => {
    const kinds = [
      "IMAGE/png",
      "video/mp4 ; a=b",
      "audio/L16",
      "model/obj",
      "text/html",
      "application/json",
    ]
    assert.deepEqual(kinds.map(toDeclaredKind), ["image", "video", "audio", "3d", "text", "text"])
    for (const type of ["application/octet-stream", "application/jsonp", "x/image/", ""]) {
      assert.equal(toDeclaredKind(type), undefined)
    }
  })
})
