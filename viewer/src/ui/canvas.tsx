/** A canvas as large as its place, sharp on every screen, drawn when something changed. */

import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

export type Draw = (context: CanvasRenderingContext2D, width: number, height: number) => void;

interface Props {
  label: string;
  draw: Draw;
  onClick?: (x: number, y: number) => void;
  /** Moved with the button held, by so many pixels. */
  onDrag?: (dx: number, dy: number) => void;
  onWheel?: (event: WheelEvent, x: number, y: number) => void;
}

export function Canvas({ label, draw, onClick, onDrag, onWheel }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useRef({ width: 0, height: 0 });
  const latest = useRef(draw);
  latest.current = draw;

  const paint = () => {
    const element = canvas.current;
    const { width, height } = size.current;
    const context = element?.getContext('2d', { alpha: false });
    if (!element || !context || width < 2 || height < 2) return;
    const ratio = window.devicePixelRatio || 1;
    const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (element.width !== wide || element.height !== high) {
      element.width = wide;
      element.height = high;
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    latest.current(context, width, height);
  };

  useLayoutEffect(paint);
  useEffect(() => {
    const place = canvas.current!.parentElement!;
    const watch = new ResizeObserver(() => {
      size.current = { width: place.clientWidth, height: place.clientHeight };
      paint();
    });
    watch.observe(place);
    return () => watch.disconnect();
  }, []);

  const wheel = useRef(onWheel);
  wheel.current = onWheel;
  useEffect(() => {
    const element = canvas.current!;
    const turned = (event: WheelEvent) => {
      if (!wheel.current) return;
      event.preventDefault();
      wheel.current(event, event.offsetX, event.offsetY);
    };
    // Preact's own listener could not keep the page from scrolling.
    element.addEventListener('wheel', turned, { passive: false });
    return () => element.removeEventListener('wheel', turned);
  }, []);

  const drag = useRef<{ x: number; y: number; moved: number } | null>(null);
  return (
    <canvas
      ref={canvas}
      role="img"
      aria-label={label}
      onPointerDown={(event) => {
        drag.current = { x: event.clientX, y: event.clientY, moved: 0 };
        (event.target as HTMLCanvasElement).setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        const held = drag.current;
        if (!held) return;
        const [dx, dy] = [event.clientX - held.x, event.clientY - held.y];
        held.moved += Math.abs(dx) + Math.abs(dy);
        if (held.moved < 4) return;
        held.x = event.clientX;
        held.y = event.clientY;
        onDrag?.(dx, dy);
      }}
      onPointerUp={(event) => {
        const held = drag.current;
        drag.current = null;
        if (held && held.moved < 4) onClick?.(event.offsetX, event.offsetY);
      }}
      onPointerCancel={() => {
        drag.current = null;
      }}
    />
  );
}
