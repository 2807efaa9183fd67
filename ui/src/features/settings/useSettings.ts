// Reading and changing settings.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { tellFailure } from "@/features/errors";
import { call, type Settings } from "@/ipc";
import { queries } from "@/ipc/queries";

interface SettingsInHand {
  settings: Settings | undefined;
  /** Shown at once, and taken back with a word when the host refuses. */
  change: (part: Partial<Settings>) => void;
  /** Shown when the host has taken it; its refusal is the caller's to show. */
  store: (part: Partial<Settings>) => Promise<void>;
}

export function useSettings(): SettingsInHand {
  const client = useQueryClient();
  const { data: settings } = useQuery(queries.settings());
  const change = useCallback(
    (part: Partial<Settings>) => {
      const { queryKey } = queries.settings();
      const now = client.getQueryData(queryKey);
      if (!now) return;
      const next = { ...now, ...part };
      client.setQueryData(queryKey, next);
      call("settings_set", next).catch((failure) => {
        void client.invalidateQueries({ queryKey });
        tellFailure(failure);
      });
    },
    [client],
  );
  const store = useCallback(
    async (part: Partial<Settings>) => {
      const now = await client.ensureQueryData(queries.settings());
      client.setQueryData(queries.settings().queryKey, await call("settings_set", { ...now, ...part }));
    },
    [client],
  );
  return { settings, change, store };
}
