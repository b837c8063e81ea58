// The numbers of a card, a line each.

import type { CardLine } from "../../model/words";

export function CardLines({ lines }: { lines: readonly CardLine[] }) {
  return (
    <table>
      <tbody>
        {lines.map(({ name, text, note }) => (
          <tr key={name}>
            <td>{name}</td>
            <td>{text}</td>
            <td class="muted">{note ?? ""}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
