/** First bytes of media files, as much as tells their type and not a byte of what they would show. */
const text = (value: string): Buffer => Buffer.from(value, "latin1")
const bytes = (...values: readonly number[]): Buffer => Buffer.from(values)
const isoMedia = (brand: string): Buffer =>
  Buffer.concat([bytes(0, 0, 0, 24), text(`ftyp${brand}`), bytes(0, 0, 2, 0), text("isomiso2")])
const ebml = (documentType: string): Buffer =>
  Buffer.concat([
    bytes(0x1a, 0x45, 0xdf, 0xa3, 0x80 | (documentType.length + 3)),
    bytes(0x42, 0x82, 0x80 | documentType.length),
    text(documentType),
    Buffer.alloc(32),
  ])
const ogg = (codec: string): Buffer =>
  Buffer.concat([text("OggS"), Buffer.alloc(24), text(codec), Buffer.alloc(32)])
const png = (chunk: string): Buffer =>
  Buffer.concat([
    bytes(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13),
    text("IHDR"),
    Buffer.alloc(17),
    bytes(0, 0, 0, 8),
    text(chunk),
    Buffer.alloc(32),
  ])
const transportStream = Buffer.alloc(188 * 3)
for (let offset = 0; offset < transportStream.length; offset += 188) transportStream[offset] = 0x47

export const MEDIA_HEADS = {
  png: png("IDAT"),
  apng: png("acTL"),
  jpeg: Buffer.concat([bytes(0xff, 0xd8, 0xff, 0xe0, 0, 16), text("JFIF\0"), Buffer.alloc(32)]),
  webp: Buffer.concat([text("RIFF\x40\0\0\0WEBPVP8 "), Buffer.alloc(32)]),
  gif: Buffer.concat([text("GIF89a"), Buffer.alloc(32)]),
  avif: isoMedia("avif"),
  heic: isoMedia("heic"),
  mp4: isoMedia("isom"),
  quicktime: isoMedia("qt  "),
  m4v: isoMedia("M4V "),
  m4a: isoMedia("M4A "),
  webm: ebml("webm"),
  matroska: ebml("matroska"),
  transportStream,
  mp3: Buffer.concat([bytes(0xff, 0xfb, 0x90, 0x64), Buffer.alloc(64)]),
  mp3WithTags: Buffer.concat([text("ID3\x04\0\0\0\x0f\0\0"), Buffer.alloc(8_000)]),
  wav: Buffer.concat([text("RIFF\x40\0\0\0WAVEfmt "), Buffer.alloc(32)]),
  opus: ogg("OpusHead"),
  vorbis: ogg("\x01vorbis\0"),
  theora: ogg("\x80theora\0"),
  flac: Buffer.concat([text("fLaC"), Buffer.alloc(64)]),
  aac: Buffer.concat([bytes(0xff, 0xf1, 0x50, 0x80), Buffer.alloc(64)]),
  html: text("<!doctype html><title>not media</title>"),
  svg: text('<svg xmlns="http://www.w3.org/2000/svg"/>'),
  pdf: text("%PDF-1.7\n"),
} as const
