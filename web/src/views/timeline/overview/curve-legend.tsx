// Whose curve it is, and what its colours stand for.
export function CurveLegend({ name }: { name: string }) {
  return (
    <span class="curve-legend">
      <bdi>{name}</bdi> <i class="on-cpu" /> CPU <i class="waits" /> waits
    </span>
  );
}
