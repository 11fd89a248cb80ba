/** What the painter makes of the image models: sizes, palettes, edits, and that it is always the same. */
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { describe, test } from "node:test"
import { isSafelightError, PICTURE_SIZES } from "@safelight/core"
import { GRADE_WORDS } from "@safelight/painter"
import * as fc from "fast-check"
import sharp from "sharp"
import {
  SANS_RANGES,
  SERIF_RANGES,
  toLetterable,
} from "../../packages/painter/src/image/letterable.ts"
import { createFrame, type Frame } from "../../packages/painter/src/drawing/frame.ts"
import { toEditSize } from "../../packages/painter/src/image/edit-size.ts"
import { createPalette } from "../../packages/painter/src/image/palette.ts"
import { landscapeInks, paintLandscape } from "../../packages/painter/src/scenes/landscape.ts"
import { createLandscapePainter } from "../../packages/painter/src/landscape/landscape-painter.ts"
import { describeLandscape } from "../../packages/painter/src/landscape/landscape.ts"
import { createRandom, toSeed } from "../../packages/painter/src/drawing/random.ts"
import { toYuv } from "../../packages/painter/src/drawing/yuv.ts"
import { paintEdit, paintPicture } from "./paint-images.ts"

/** One prompt a scene. */
const SCENE_PROMPTS = {
  landscape: "mountains behind mountains",
  paper: "cut paper",
  silk: "silk and smoke",
  strands: "a meadow",
  attractor: "a nebula",
}

const RED = { r: 214, g: 40, b: 40 }
const GREEN = { r: 30, g: 150, b: 70 }
const BLUE = { r: 40, g: 80, b: 200 }

interface Pixels {
  readonly data: Buffer
  readonly width: number
  readonly height: number
}

async function decode(bytes: Uint8Array | undefined): Promise<Pixels> {
  const { data, info } = await sharp(bytes).toColourspace("srgb").removeAlpha().raw().toBuffer({
    resolveWithObject: true,
  })
  assert.equal(info.channels, 3)
  return { data, width: info.width, height: info.height }
}

interface Means {
  readonly r: number
  readonly g: number
  readonly b: number
}

function mean({ data }: Pixels): Means {
  const sums = [0, 0, 0]
  for (let at = 0; at < data.length; at++) {
    sums[at % 3] = (sums[at % 3] as number) + (data[at] as number)
  }
  const [r = 0, g = 0, b = 0] = sums.map((sum) => sum / (data.length / 3))
  return { r, g, b }
}

/** Mean difference of two pictures' values, 0 to 255. */
function differ(one: Pixels, other: Pixels): number {
  assert.equal(one.data.length, other.data.length)
  let sum = 0
  for (let at = 0; at < one.data.length; at++) {
    sum += Math.abs((one.data[at] as number) - (other.data[at] as number))
  }
  return sum / one.data.length
}

async function draw(parameters: Record<string, unknown>): Promise<Pixels> {
  return decode(await paintPicture(parameters))
}

/** A picture with something to see in every part: a gradient, and a bright corner. */
async function createSample(width: number, height: number, blue: number): Promise<Buffer> {
  const data = Buffer.alloc(width * height * 3)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 3
      const isCorner = x < width / 4 && y < height / 4
      data.set(isCorner ? [250, 240, 230] : [(x / width) * 200, (y / height) * 160, blue], at)
    }
  }
  return sharp(data, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer()
}

const SAMPLES = await Promise.all([
  createSample(320, 200, 60),
  createSample(200, 260, 160),
  createSample(240, 240, 220),
])

/** As JPEG, which is written soonest, unless it is said otherwise. */
async function edit(
  parameters: Record<string, unknown>,
  files: readonly Uint8Array[] = [SAMPLES[0]],
): Promise<readonly Pixels[]> {
  return Promise.all((await paintEdit({ output_format: "jpeg", ...parameters }, files)).map(decode))
}

describe("text to image", () => {
  for (const [size, { width, height }] of Object.entries(PICTURE_SIZES)) {
    test(`${size} is a PNG of ${width} × ${height}`, async () => {
      const bytes = await paintPicture({ prompt: "a fox", size })
      const found = await sharp(bytes).metadata()
      assert.deepEqual([found.format, found.width, found.height], ["png", width, height])
    })
  }

  for (const [scene, prompt] of Object.entries(SCENE_PROMPTS)) {
    test(`${scene}: the same parameters give the same bytes, whatever was painted before`, async () => {
      const parameters = { prompt, colors: [RED], background_color: BLUE }
      const first = await paintPicture(parameters)
      await paintPicture({ prompt: "something else" })
      assert.deepEqual(await paintPicture(parameters), first)
    })

    test(`${scene}: the palette rules the picture`, async () => {
      const background_color = { r: 128, g: 128, b: 128 }
      const red = mean(await draw({ prompt, background_color, colors: [RED] }))
      const green = mean(await draw({ prompt, background_color, colors: [GREEN] }))
      const blue = mean(await draw({ prompt, background_color, colors: [BLUE] }))
      assert.ok(red.r > red.g + 5 && red.r > red.b + 5, JSON.stringify(red))
      assert.ok(green.g > green.r + 5 && green.g > green.b + 2, JSON.stringify(green))
      assert.ok(blue.b > blue.r + 5 && blue.b > blue.g + 5, JSON.stringify(blue))
    })

    test(`${scene}: the background colour is the paper, and part of the scene`, async () => {
      const plain = await draw({ prompt, colors: [RED], background_color: BLUE })
      const other = await draw({ prompt, colors: [RED], background_color: GREEN })
      for (const corner of [0, (plain.width - 1) * 3, plain.data.length - 3]) {
        const found = [...plain.data.subarray(corner, corner + 3)]
        const isNear = [BLUE.r, BLUE.g, BLUE.b].every(
          (value, part) => Math.abs(value - (found[part] as number)) <= 4,
        )
        assert.ok(isNear, found.join())
      }
      const inner = { left: 60, top: 60, width: 392, height: 360 }
      const cut = async (picture: Pixels): Promise<Pixels> => {
        const { width, height } = picture
        const raw = sharp(picture.data, { raw: { width, height, channels: 3 } }).extract(inner)
        return { data: await raw.raw().toBuffer(), width: inner.width, height: inner.height }
      }
      assert.ok(differ(await cut(plain), await cut(other)) > 1)
    })
  }

  test("every colour of a palette is seen", async () => {
    const colors = [RED, GREEN, BLUE, { r: 250, g: 220, b: 120 }]
    const { data } = await draw({ prompt: "cut paper canyon", colors })
    for (const { r, g, b } of colors) {
      let near = 0
      for (let at = 0; at < data.length; at += 3) {
        const away = Math.hypot(
          (data[at] as number) - r,
          (data[at + 1] as number) - g,
          (data[at + 2] as number) - b,
        )
        if (away < 40) near += 1
      }
      assert.ok(near > data.length / 3 / 200, `${r},${g},${b}: ${near} pixels`)
    }
  })

  test("a palette of any length is taken", async () => {
    const colors = Array.from({ length: 500 }, (_, index) => ({ r: index % 256, g: 90, b: 200 }))
    await draw({ prompt: "a meadow", colors })
    await draw({ prompt: "a meadow", colors: [{}, {}] })
  })

  test("different prompts give different pictures", async () => {
    const one = await draw({ prompt: "cut paper one" })
    const other = await draw({ prompt: "cut paper two" })
    assert.ok(differ(one, other) > 10)
  })

  test("a landscape shows the hour that the prompt names", async () => {
    const light = ({ r, g, b }: Means): number => r + g + b
    const day = mean(await draw({ prompt: "mountains at noon" }))
    assert.ok(light(day) > light(mean(await draw({ prompt: "mountains at night" }))) + 180)
  })

  test("a landscape is the first moment of the film of its prompt", () => {
    const size = { width: 320, height: 180 }
    const paintMoment = (prompt: string): Frame => {
      const landscape = describeLandscape(prompt, toSeed(prompt))
      const frame = createFrame(size)
      const painter = createLandscapePainter({ landscape, size, pace: 1 })
      painter.paint(frame, { elapsedS: 0, share: 0 })
      return frame
    }
    const away = (prompt: string, { planes: [luma] }: Frame): number => {
      const random = createRandom(prompt)
      const ownInks = landscapeInks(prompt)
      const palette = createPalette({ colours: [], background: undefined, ownInks, random })
      const { pixels } = paintLandscape({ ...size, palette, random, prompt, report: () => {} })
      const sum = luma.bytes.reduce((total, value, pixel) => {
        const [red = 0, green = 0, blue = 0] = pixels.subarray(pixel * 3)
        return total + Math.abs(toYuv([red, green, blue])[0] - value)
      }, 0)
      return sum / luma.bytes.length
    }
    for (const prompt of ["a lake in the mountains at dawn", "city at night", "", "an idea"]) {
      assert.ok(away(prompt, paintMoment(prompt)) < 4, prompt)
    }
    assert.ok(away("mountains at noon", paintMoment("mountains at dawn")) > 8)
  })

  const PROMPTS = {
    "one letter": "a",
    "a NUL": "\u0000",
    "a NUL inside": "a\u0000fox",
    markup: "</span><b>&amp; 1 < 2 > 0 & \"'",
    "10,000 characters": "💩".repeat(10_000),
    "10,000 letters without a space": "w".repeat(10_000),
    "10,000 spaces": " ".repeat(10_000),
    "words without end": "the quick brown fox ".repeat(500),
    lines: "one\ntwo\r\nthree\u2028four",
    "right to left": "שועל זריז, ثعلب سريع",
    Chinese: "一只敏捷的狐狸",
    "joined marks": `z${"\u0300".repeat(500)}`,
    noncharacters: "\uFFFE\uFFFF\u{10FFFF}\uFEFF\u202E",
  }
  for (const [name, prompt] of Object.entries(PROMPTS)) {
    test(`a prompt of ${name} is drawn`, async () => {
      const { width } = await draw({ prompt })
      assert.equal(width, 512)
    })
  }
})

describe("the caption", () => {
  test("is lettered on the paper below the scene", async () => {
    const parameters = { colors: [RED], background_color: { r: 255, g: 255, b: 255 } }
    const darkest = ({ data, width }: Pixels): number =>
      Math.min(...data.subarray(width * 3 * 486, width * 3 * 500))
    assert.ok(darkest(await draw({ ...parameters, prompt: "cut paper, gqpy" })) < 120)
    assert.ok(darkest(await draw({ ...parameters, prompt: "狐狸" })) > 240)
  })

  test("keeps what the bundled fonts hold, on one line", () => {
    assert.deepEqual(toLetterable("  a\tfox\n💩 runs\u0000 "), {
      text: "a fox runs",
      font: "serif",
    })
    assert.deepEqual(toLetterable("Καλημέρα, мир"), { text: "Καλημέρα, мир", font: "serif" })
    assert.deepEqual(toLetterable("שלום"), { text: "שלום", font: "sans" })
    assert.deepEqual(toLetterable("狐狸 …"), { text: "", font: "serif" })
    assert.equal(toLetterable(`${"💩".repeat(5000)} fox`).text, "fox")
  })

  test("is bounded, whatever the prompt", () => {
    const property = fc.property(fc.string({ unit: "binary", maxLength: 2000 }), (prompt) => {
      const { text } = toLetterable(prompt)
      assert.ok(Array.from(text).length <= 401)
      // oxlint-disable-next-line no-control-regex
      assert.doesNotMatch(text, /[\u0000-\u001F\u007F-\u009F]/)
    })
    fc.assert(property)
    assert.match(toLetterable("word ".repeat(2000)).text, /word…$/)
  })

  test("takes no character that the bundled fonts lack", () => {
    const serif = readCharacters("DejaVuSerif")
    const sans = readCharacters("DejaVuSans")
    const lacking = (ranges: typeof SERIF_RANGES, held: ReadonlySet<number>): readonly number[] =>
      ranges
        .flatMap(([first, last]) =>
          Array.from({ length: last - first + 1 }, (_, index) => first + index),
        )
        .filter((code) => !held.has(code))
    assert.deepEqual(lacking(SERIF_RANGES, serif), [])
    assert.deepEqual(lacking(SERIF_RANGES, sans), [])
    assert.deepEqual(lacking(SANS_RANGES, sans), [])
  })
})

/** The code points a bundled font holds, from its character map (OpenType `cmap`, format 12). */
function readCharacters(name: string): ReadonlySet<number> {
  const { resolve } = createRequire(new URL("../../packages/painter/package.json", import.meta.url))
  const font = readFileSync(resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`))
  const tables = Array.from({ length: font.readUInt16BE(4) }, (_, index) => 12 + 16 * index)
  const entry = tables.find((at) => font.toString("latin1", at, at + 4) === "cmap") ?? 0
  const map = font.readUInt32BE(entry + 8)
  const held = new Set<number>()
  for (let index = 0; index < font.readUInt16BE(map + 2); index++) {
    const table = map + font.readUInt32BE(map + 8 + 8 * index)
    if (font.readUInt16BE(table) !== 12) continue
    for (let group = 0; group < font.readUInt32BE(table + 12); group++) {
      const at = table + 16 + 12 * group
      const last = font.readUInt32BE(at + 4)
      for (let code = font.readUInt32BE(at); code <= last; code++) held.add(code)
    }
  }
  assert.ok(held.size > 1000)
  return held
}

describe("edit", () => {
  const ASPECTS: readonly (readonly [string, number, number])[] = [
    ["2:1", 1024, 512],
    ["20:9", 1024, 461],
    ["19.5:9", 1024, 473],
    ["16:9", 1024, 576],
    ["4:3", 1024, 768],
    ["3:2", 1024, 683],
    ["1:1", 1024, 1024],
    ["2:3", 683, 1024],
    ["3:4", 768, 1024],
    ["9:16", 576, 1024],
    ["9:19.5", 473, 1024],
    ["9:20", 461, 1024],
    ["1:2", 512, 1024],
    ["auto", 1024, 640],
  ]
  for (const [aspect_ratio, width, height] of ASPECTS) {
    test(`${aspect_ratio} is ${width} × ${height} at 1k, twice that at 2k`, () => {
      const first = { width: 320, height: 200 }
      const small = toEditSize({ aspect_ratio, resolution: "1k" } as never, first)
      assert.deepEqual(small, { width, height })
      const double = toEditSize({ aspect_ratio, resolution: "2k" } as never, first)
      const away = Math.max(double.width - width * 2, double.height - height * 2)
      assert.ok(Math.abs(away) <= 1)
    })
  }

  for (const aspect_ratio of ["auto", "19.5:9", "9:20"]) {
    test(`${aspect_ratio} is drawn at that size`, async () => {
      const [, width, height] = ASPECTS.find(([name]) => name === aspect_ratio) ?? []
      const [picture] = await edit({ aspect_ratio })
      assert.deepEqual([picture?.width, picture?.height], [width, height])
    })
  }

  test("2k is drawn at its size", async () => {
    const [picture] = await edit({ resolution: "2k", aspect_ratio: "3:2" })
    assert.deepEqual([picture?.width, picture?.height], [2048, 1365])
  })

  for (const output_format of ["jpeg", "png", "webp"]) {
    test(`${output_format} is what it says, smaller at low quality, and always the same`, async () => {
      const parameters = { prompt: "warm", output_format }
      const paint = (quality: string) => paintEdit({ ...parameters, quality }, [SAMPLES[0]])
      const [medium] = await paint("medium")
      const [low] = await paint("low")
      assert.equal((await sharp(medium).metadata()).format, output_format)
      assert.ok((low?.byteLength ?? 0) < (medium?.byteLength ?? 0) * 0.7)
      assert.deepEqual(await paint("medium"), [medium])
    })
  }

  for (const images of [1, 3]) {
    test(`four variations of ${images} image(s) differ from one another`, async () => {
      const pictures = await edit({ count: 4 }, SAMPLES.slice(0, images))
      assert.equal(pictures.length, 4)
      for (const [index, one] of pictures.entries()) {
        for (const other of pictures.slice(index + 1)) assert.ok(differ(one, other) > 3)
      }
    })
  }

  test("the first variation is the same, however many follow", async () => {
    const [alone] = await edit({ prompt: "night" })
    const [first] = await edit({ prompt: "night", count: 3 })
    assert.equal(differ(alone as Pixels, first as Pixels), 0)
  })

  for (const word of ["blend", "collage", "columns", "rows"]) {
    test(`${word}: every reference image is seen in every variation`, async () => {
      const parameters = { prompt: word, count: 2, aspect_ratio: "2:1" }
      const before = await edit(parameters, SAMPLES)
      for (const index of SAMPLES.keys()) {
        const inverted = await sharp(SAMPLES[index]).negate().toBuffer()
        const changed = await edit(parameters, [...SAMPLES].with(index, inverted))
        for (const [variation, picture] of before.entries()) {
          assert.ok(differ(picture, changed[variation] as Pixels) > 3, `image ${index}`)
        }
      }
    })
  }

  test("words of the prompt rule the grade", async () => {
    const look = async (prompt: string): Promise<Pixels> => {
      const [picture] = await edit({ prompt })
      return picture as Pixels
    }
    const warmth = ({ r, b }: Means): number => r - b
    const light = ({ r, g, b }: Means): number => r + g + b
    const [warm, cold] = [mean(await look("warm")), mean(await look("Cold!"))]
    assert.ok(warmth(warm) > warmth(cold) + 40)
    const [night, bright] = [mean(await look("at night")), mean(await look("bright"))]
    assert.ok(light(night) < light(bright) * 0.6)
    assert.ok(spread(await look("monochrome")) < 1)
    assert.ok(spread(await look("vivid")) > 40)
    const [sharpened, blurred] = [await look("sharp"), await look("blur")]
    assert.ok(measureEdges(blurred) < measureEdges(sharpened) * 0.75)
    const [plain, mirrored] = [await look("flip"), await look("flip mirror")]
    assert.ok(mean(half(plain)).r < mean(half(mirrored)).r)
    assert.ok(light(mean(await look("monochrome invert"))) > light(mean(await look("monochrome"))))
  })

  for (const word of Object.keys(GRADE_WORDS)) {
    test(`${word} is drawn and stands in the README`, async () => {
      const [picture] = await edit({ prompt: word, aspect_ratio: "1:2" })
      assert.equal(picture?.width, 512)
      const readme = new URL("../../packages/painter/README.md", import.meta.url)
      assert.match(readFileSync(readme, "utf8"), new RegExp(`\`${word}\``))
    })
  }
})

/** Mean distance of a pixel's channels: its colourfulness. */
function spread({ data }: Pixels): number {
  let sum = 0
  for (let at = 0; at < data.length; at += 3) {
    const [r, g, b] = [data[at] as number, data[at + 1] as number, data[at + 2] as number]
    sum += Math.max(r, g, b) - Math.min(r, g, b)
  }
  return sum / (data.length / 3)
}

function measureEdges({ data }: Pixels): number {
  let sum = 0
  for (let at = 3; at < data.length; at += 3) {
    sum += Math.abs((data[at] as number) - (data[at - 3] as number)) ** 2
  }
  return sum / data.length
}

/** The left half. */
function half({ data, width, height }: Pixels): Pixels {
  const middle = Math.floor(width / 2)
  const rows = Array.from({ length: height }, (_, y) =>
    data.subarray(y * width * 3, (y * width + middle) * 3),
  )
  return { data: Buffer.concat(rows), width: middle, height }
}

describe("reference images", () => {
  const sample = sharp(SAMPLES[0])

  const READABLE: Readonly<Record<string, () => Promise<Buffer>>> = {
    "a JPEG": () => sample.clone().jpeg().toBuffer(),
    "a WebP": () => sample.clone().webp().toBuffer(),
    "a grey PNG": () => sample.clone().greyscale().png().toBuffer(),
    "a grey JPEG": () => sample.clone().toColourspace("b-w").jpeg().toBuffer(),
    "a CMYK JPEG": () => sample.clone().toColourspace("cmyk").jpeg().toBuffer(),
    "a 16-bit PNG": () => sample.clone().toColourspace("rgb16").png().toBuffer(),
    "a PNG with few colours": () => sample.clone().png({ palette: true, colours: 4 }).toBuffer(),
    "a transparent PNG": () => sample.clone().ensureAlpha(0.3).png().toBuffer(),
    "a grey transparent PNG": () => sample.clone().greyscale().ensureAlpha(0.3).png().toBuffer(),
    "the smallest": () => sample.clone().resize(16, 16).png().toBuffer(),
    "a narrow strip": () => sample.clone().resize(16, 2000, { fit: "fill" }).png().toBuffer(),
  }
  for (const [name, make] of Object.entries(READABLE)) {
    test(`${name} is edited, alone and with another`, async () => {
      const own = await make()
      const [alone] = await edit({}, [own])
      assert.equal(Math.max(alone?.width ?? 0, alone?.height ?? 0), 1024)
      const [both] = await edit({ prompt: "blend" }, [SAMPLES[0], own])
      assert.deepEqual([both?.width, both?.height], [1024, 640])
    })
  }

  test("a picture that lies on its side is set upright before anything else", async () => {
    const lying = await sample.clone().jpeg().withMetadata({ orientation: 6 }).toBuffer()
    const [picture] = await edit({}, [lying])
    assert.deepEqual([picture?.width, picture?.height], [640, 1024])
  })

  const REFUSED: Readonly<Record<string, readonly [string, () => Promise<Buffer>]>> = {
    "an empty file": ["unsupported_media_type", async () => Buffer.alloc(0)],
    noise: ["unsupported_media_type", async () => Buffer.alloc(5000, "noise")],
    "half a PNG": ["media_unreadable", async () => SAMPLES[0].subarray(0, 900)],
    "half a JPEG": [
      "media_unreadable",
      async () => {
        const whole = await sample.clone().jpeg().toBuffer()
        return whole.subarray(0, whole.byteLength / 2)
      },
    ],
    "a picture 15 pixels wide": [
      "media_too_small",
      () => sample.clone().resize(15, 400, { fit: "fill" }).png().toBuffer(),
    ],
    "a picture that claims 2.5 gigapixels": ["media_too_large", () => claim(50_000, 50_000)],
    "a GIF": ["unsupported_media_type", () => sample.clone().gif().toBuffer()],
    "an SVG": [
      "unsupported_media_type",
      async () =>
        Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"></svg>'),
    ],
  }
  for (const [name, [code, make]] of Object.entries(REFUSED)) {
    test(`${name} is refused as ${code}`, async () => {
      const files = [SAMPLES[0], await make()]
      await assert.rejects(
        () => paintEdit({}, files),
        (error) => isSafelightError(error) && error.code === code,
      )
    })
  }
})

/** A small PNG whose header claims any size; its checksum is right. */
async function claim(width: number, height: number): Promise<Buffer> {
  const { crc32 } = await import("node:zlib")
  const png = Buffer.from(await sharp(SAMPLES[0]).png().toBuffer())
  png.writeUInt32BE(width, 16)
  png.writeUInt32BE(height, 20)
  png.writeUInt32BE(crc32(png.subarray(12, 29)), 29)
  return png
}
