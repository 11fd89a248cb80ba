/**
 * One engine for the whole process, whatever Next.js loads twice: it builds a bundle for each route and, in
 * development, loads modules anew after each change. A second engine on the same folder would work, but would
 * divide the work with the first.
 */
import { openMedia, type Media } from "../media.ts"

const PREFIX = "/media"

const kept = globalThis as { safelightMedia?: Promise<Media> }

function open(): Promise<Media> {
  const origin = process.env["PUBLIC_ORIGIN"] ?? "http://127.0.0.1:3000"
  return openMedia({ folder: "data", publicUrl: () => `${origin}${PREFIX}` }).then((media) => {
    console.log(`${origin}${PREFIX} ${media.key}`)
    return media
  })
}

export async function answer(request: Request): Promise<Response> {
  const media = await (kept.safelightMedia ??= open())
  const url = new URL(request.url)
  url.pathname = url.pathname.slice(PREFIX.length)
  return media.handler.fetch(new Request(url, request))
}
