// Paints many boxes fast: gathered by colour first, then one fill style per colour. Narrow boxes are
// plain rectangles, wide ones have round corners.

const ROUND_FROM_PX = 7;
const RADIUS = 3;
const FADED = 0.22;

// Growable columns of rectangles, one per colour.
class Bucket {
  readonly wide: number[] = [];
  readonly narrow: number[] = [];
}

export interface Label {
  readonly rank: number;
  readonly colour: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly isFaded: boolean;
}

export class BoxPaint {
  readonly #fills: readonly string[];
  readonly #clear: Bucket[];
  readonly #faded: Bucket[];
  readonly labels: Label[] = [];
  readonly hatched: number[] = [];
  readonly framed: number[] = [];
  readonly omitting: number[] = [];
  count = 0;

  constructor(fills: readonly string[]) {
    this.#fills = fills;
    this.#clear = fills.map(() => new Bucket());
    this.#faded = fills.map(() => new Bucket());
  }

  add(colour: number, x: number, y: number, width: number, height: number, isFaded: boolean): void {
    const bucket = (isFaded ? this.#faded : this.#clear)[colour];
    if (bucket === undefined) return;
    this.count += 1;
    (width >= ROUND_FROM_PX ? bucket.wide : bucket.narrow).push(x, y, width, height);
  }

  paint(context: CanvasRenderingContext2D): void {
    this.#paintBuckets(context, this.#faded, FADED);
    this.#paintBuckets(context, this.#clear, 1);
    context.globalAlpha = 1;
  }

  #paintBuckets(
    context: CanvasRenderingContext2D,
    buckets: readonly Bucket[],
    alpha: number,
  ): void {
    context.globalAlpha = alpha;
    buckets.forEach((bucket, ix) => {
      context.fillStyle = this.#fills[ix] ?? "#888";
      const { narrow, wide } = bucket;
      for (let i = 0; i < narrow.length; i += 4)
        context.fillRect(
          narrow[i] ?? 0,
          narrow[i + 1] ?? 0,
          narrow[i + 2] ?? 0,
          narrow[i + 3] ?? 0,
        );
      for (let i = 0; i < wide.length; i += 4) {
        context.beginPath();
        context.roundRect(
          wide[i] ?? 0,
          wide[i + 1] ?? 0,
          wide[i + 2] ?? 0,
          wide[i + 3] ?? 0,
          RADIUS,
        );
        context.fill();
      }
    });
  }
}

// A thin frame around the boxes of the selected method.
export function paintFrames(
  context: CanvasRenderingContext2D,
  boxes: readonly number[],
  colour: string,
): void {
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.beginPath();
  for (let i = 0; i < boxes.length; i += 4)
    context.roundRect(
      (boxes[i] ?? 0) + 0.5,
      (boxes[i + 1] ?? 0) + 0.5,
      Math.max(1, (boxes[i + 2] ?? 0) - 1),
      (boxes[i + 3] ?? 0) - 1,
      RADIUS,
    );
  context.stroke();
}

// A dotted line at the foot of boxes whose calls made others that are hidden.
export function paintOmissions(
  context: CanvasRenderingContext2D,
  boxes: readonly number[],
  colour: string,
): void {
  if (boxes.length === 0) return;
  context.save();
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.setLineDash([2, 3]);
  context.beginPath();
  for (let i = 0; i < boxes.length; i += 4) {
    const x = boxes[i] ?? 0;
    const y = (boxes[i + 1] ?? 0) + (boxes[i + 3] ?? 0) - 1.5;
    context.moveTo(x + 2, y);
    context.lineTo(x + Math.max(3, (boxes[i + 2] ?? 0) - 2), y);
  }
  context.stroke();
  context.restore();
}

// Diagonal lines over the boxes whose calls were waiting.
export function paintHatch(
  context: CanvasRenderingContext2D,
  boxes: readonly number[],
  colour: string,
): void {
  if (boxes.length === 0) return;
  context.save();
  context.beginPath();
  for (let i = 0; i < boxes.length; i += 4)
    context.rect(boxes[i] ?? 0, boxes[i + 1] ?? 0, boxes[i + 2] ?? 0, boxes[i + 3] ?? 0);
  context.clip();
  context.strokeStyle = colour;
  context.lineWidth = 2;
  context.beginPath();
  for (let i = 0; i < boxes.length; i += 4) {
    const x = boxes[i] ?? 0;
    const y = boxes[i + 1] ?? 0;
    const width = boxes[i + 2] ?? 0;
    const height = boxes[i + 3] ?? 0;
    // The lines are fixed to the page, so that they do not move while a box grows.
    for (let at = Math.floor((x - height) / 7) * 7; at < x + width; at += 7) {
      context.moveTo(at, y + height);
      context.lineTo(at + height, y);
    }
  }
  context.stroke();
  context.restore();
}
