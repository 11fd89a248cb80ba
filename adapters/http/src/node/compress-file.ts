/** Brotli and gzip of a whole file, by Node's own threads. */
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import type { Compress } from "../content/content-coding.ts"

const toBrotli = promisify(brotliCompress)
const toGzip = promisify(gzip)

/** Of 11. The script of the reference takes 0.15 s with it and 3.7 s with 11, for a tenth fewer bytes. */
const BROTLI_QUALITY = 9

export const compressFile: Compress = (bytes, coding) =>
  coding === "gzip"
    ? toGzip(bytes, { level: constants.Z_BEST_COMPRESSION })
    : toBrotli(bytes, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
          [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
        },
      })
