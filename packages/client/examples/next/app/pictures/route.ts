/** `POST /pictures` of a Next.js application. */
import { orderPicture } from "../../../pictures.ts"

export async function POST(request: Request): Promise<Response> {
  const { body, status } = await orderPicture(await request.json())
  return Response.json(body, { status })
}
