// The legend of the colours while boxes show their CPU share.

import { useComputed } from "@preact/signals";
import { CPU_STEPS, cpuPaletteFor } from "../../../model/colour";
import { useApp } from "../../shared/context";

export function CpuLegend() {
  const { store } = useApp();
  const fills = useComputed(() => cpuPaletteFor(store.isDark.value ? "dark" : "light").fills);
  if (!store.isByCpu.value) return null;
  return (
    <span class="cpu-legend" role="img" aria-label="Colours: from waiting to busy on the CPU">
      waits
      {fills.value.slice(0, CPU_STEPS).map((fill) => (
        <i key={fill} style={{ backgroundColor: fill }} />
      ))}
      CPU
    </span>
  );
}
