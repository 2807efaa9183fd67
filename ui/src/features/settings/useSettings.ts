// Reading and changing settings.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { tellFailure } from "@/features/errors";
import type { Settings } from "@/ipc";
import { queries } from "@/ipc/queries";
import { putUpon, writeSettings } from "@/ipc/settings";

interface SettingsInHand {
  settings: Settings | undefined;
  /** Shown at once, and taken back with a word when the host refuses. */
  change: (part: Partial<Settings>) => void;
  /** Shown when the host has taken it; its refusal is the caller's to show. */
  store: (part: Partial<Settings>) => Promise<void>;
}

const { queryKey } = queries.settings();

export function useSettings(): SettingsInHand {
  const client = useQueryClient();
  const { data: settings } = useQuery(queries.settings());
  const change = useCallback(
    (part: Partial<Settings>) => {
      if (!settings) return;
      const wanted = { ...settings, ...part };
      const show = async () => {
        // A read that is under way is of before.
        await client.cancelQueries({ queryKey });
        client.setQueryData(queryKey, (now) => now && putUpon(now, settings, wanted));
      };
      void show();
      writeSettings(settings, wanted).catch((failure) => {
        void client.invalidateQueries({ queryKey });
        tellFailure(failure);
      });
    },
    [client, settings],
  );
  const store = useCallback(
    async (part: Partial<Settings>) => {
      const seen = settings ?? (await client.ensureQueryData(queries.settings()));
      await writeSettings(seen, { ...seen, ...part });
      await client.invalidateQueries({ queryKey });
    },
    [client, settings],
  );
  return { settings, change, store };
}
