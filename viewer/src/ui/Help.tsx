/** What keys and colours mean. */

import { useEffect, useRef } from 'preact/hooks';
import { KEYS } from './keys';

export const LEGEND: [name: string, colour: string, mark: string][] = [
  ['RTS', 'var(--kind-0)', 'box'],
  ['CTS', 'var(--kind-1)', 'box'],
  ['data', 'var(--kind-2)', 'box'],
  ['ACK', 'var(--kind-3)', 'box'],
  ['for everyone', 'var(--kind-4)', 'box'],
  ['being received', 'var(--kind-2)', 'hollow'],
  ['not received', 'var(--lost)', 'cross'],
  ['not answered', 'var(--lost)', 'ring'],
  ['back-off', 'var(--backoff)', 'thin'],
  ['reserved (NAV)', 'var(--reserved)', 'thin'],
  ['carrier, readable', 'var(--decodes)', 'thin'],
  ['carrier, sensed', 'var(--senses)', 'thin'],
  ['queue', 'var(--queue)', 'box'],
];

export function Legend() {
  return (
    <ul class="legend" aria-label="What colours mean">
      {LEGEND.map(([name, colour, mark]) => (
        <li key={name}>
          <i class={mark} style={{ '--colour': colour }} />
          {name}
        </li>
      ))}
    </ul>
  );
}

export function Help({ close }: { close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="help" aria-label="Help" onClose={close}>
      <h2>Keys</h2>
      <table>
        <tbody>
          {KEYS.map(({ shown, does }) => (
            <tr key={shown}>
              <th scope="row">
                {shown.split(' ').map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </th>
              <td>{does}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        Lanes: drag to move, turn the wheel to zoom, with Shift to scroll; click a frame or a node's number.
        Map: drag, zoom, click a node. Time line: press and drag to scrub. Marks at its upper edge are losses.
      </p>
      <h2>Colours</h2>
      <Legend />
      <p>
        From afar a lane shows how much of the time its node sent, by kind; the marks above are collisions.
        The address of the page is a link to the moment that is seen.
      </p>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
