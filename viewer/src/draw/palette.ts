/** Colours that colour-blind eyes tell apart (Okabe and Ito), on light ground and on dark. */

export interface Palette {
  isDark: boolean;
  ground: string;
  stripe: string;
  line: string;
  text: string;
  faint: string;
  /** By kind of frame: RTS, CTS, data, ACK, for everyone. */
  kinds: readonly string[];
  /** Text on those. */
  inks: readonly string[];
  lost: string;
  reserved: string;
  backoff: string;
  decodes: string;
  senses: string;
  queue: string;
  now: string;
  chosen: string;
  flows: readonly string[];
}

const FLOWS = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#999999'];

export const LIGHT: Palette = {
  ...{
    isDark: false,
    ground: '#ffffff',
    stripe: '#f5f6f8',
    line: '#d5d9de',
    text: '#1c2127',
    faint: '#5c6670',
  },
  kinds: ['#56b4e9', '#e69f00', '#0072b2', '#009e73', '#cc79a7'],
  inks: ['#0b1a24', '#241900', '#ffffff', '#ffffff', '#24101a'],
  ...{ lost: '#d55e00', reserved: '#b9c0c8', backoff: '#e3d500', decodes: '#6b7580', senses: '#b4bcc5' },
  ...{ queue: '#e2e6ea', now: '#1c2127', chosen: '#000000', flows: FLOWS },
};

export const DARK: Palette = {
  ...{
    isDark: true,
    ground: '#15181c',
    stripe: '#1b1f24',
    line: '#343b43',
    text: '#e8ebee',
    faint: '#a2acb6',
  },
  kinds: ['#56b4e9', '#e69f00', '#3d9be0', '#1fb78d', '#d991b8'],
  inks: ['#0b1a24', '#241900', '#04121d', '#04150f', '#24101a'],
  ...{ lost: '#ff7a33', reserved: '#4a535d', backoff: '#f0e442', decodes: '#98a2ad', senses: '#4d5761' },
  ...{ queue: '#2b3138', now: '#e8ebee', chosen: '#ffffff' },
  flows: ['#3d9be0', ...FLOWS.slice(1)],
};

/** The four bytes of a colour as canvas images have them, in one number. */
export function packed(colour: string): number {
  const value = Number.parseInt(colour.slice(1), 16);
  return (0xff000000 | ((value & 0xff) << 16) | (value & 0xff00) | (value >>> 16)) >>> 0;
}
