/** Files of the kinds that are neither pictures nor films, as small as they can be: a second of silence, a triangle. */
import { createPng } from "./png-picture.ts"

export type SmallFileType = "audio/wav" | "image/png" | "model/gltf-binary" | "model/obj"

export function createSmallFile(type: SmallFileType): Buffer {
  switch (type) {
    case "audio/wav":
      return createSilence()
    case "image/png":
      return createPng({ width: 16, height: 16, colour: { red: 64, green: 128, blue: 192 } })
    case "model/gltf-binary":
      return createGlb()
    case "model/obj":
      return Buffer.from("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
  }
}

const SAMPLES = 8_000

/** RIFF WAVE: 8 bits, one channel, 8 kHz. */
function createSilence(): Buffer {
  const header = Buffer.alloc(44)
  header.write("RIFF", 0)
  header.writeUInt32LE(36 + SAMPLES, 4)
  header.write("WAVEfmt ", 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(SAMPLES, 24)
  header.writeUInt32LE(SAMPLES, 28)
  header.writeUInt16LE(1, 32)
  header.writeUInt16LE(8, 34)
  header.write("data", 36)
  header.writeUInt32LE(SAMPLES, 40)
  return Buffer.concat([header, Buffer.alloc(SAMPLES, 128)])
}

/** glTF 2.0 in binary, with a JSON chunk alone. */
function createGlb(): Buffer {
  const json = Buffer.from(JSON.stringify({ asset: { version: "2.0" }, scenes: [{ nodes: [] }] }))
  const padded = Buffer.concat([json, Buffer.alloc((4 - (json.length % 4)) % 4, 0x20)])
  const header = Buffer.alloc(20)
  header.write("glTF", 0)
  header.writeUInt32LE(2, 4)
  header.writeUInt32LE(20 + padded.length, 8)
  header.writeUInt32LE(padded.length, 12)
  header.write("JSON", 16)
  return Buffer.concat([header, padded])
}
